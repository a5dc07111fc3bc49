// TYPE, TYPE NAME…, TYPE/NAME… and TYPE,TYPE as kubectl reads them.

import type { DiscoveredResource } from '@homeostat/client';
import { CliError } from '../cli-error.ts';
import type { Session } from './session.ts';

/** A resource and, unless all are meant, names. */
export interface ResourceArgument {
  readonly resource: DiscoveredResource;
  readonly names: readonly string[];
}

/** @throws CliError for mixed forms; NoMatchError for a type nobody serves */
export async function readResourceArguments(
  session: Session,
  words: readonly string[],
): Promise<readonly ResourceArgument[]> {
  const slashed = words.filter((word) => word.includes('/'));
  if (slashed.length > 0) {
    if (slashed.length !== words.length) {
      throw new CliError(
        "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'homeostat get resource/<resource_name>' instead of 'homeostat get resource resource/<resource_name>'",
      );
    }
    return Promise.all(words.map((word) => slashedArgument(session, word)));
  }
  const [types = '', ...names] = words;
  if (types === '') throw new CliError('you must specify the type of resource');
  const listed = types.split(',').filter((type) => type !== '');
  if (names.length > 0 && listed.length > 1) throw new CliError('you may not give names with several types');
  const resources = (await Promise.all(listed.map((type) => expand(session, type)))).flat();
  return resources.map((resource) => ({ resource, names }));
}

async function slashedArgument(session: Session, word: string): Promise<ResourceArgument> {
  const [type = '', name = '', ...rest] = word.split('/');
  if (type === '' || name === '' || rest.length > 0) {
    throw new CliError('arguments in resource/name form must have a single resource and name');
  }
  return { resource: await session.mapper.resourceFor(type), names: [name] };
}

// `all` and other categories stand for several resources.
async function expand(session: Session, type: string): Promise<readonly DiscoveredResource[]> {
  const category = await session.mapper.resourcesIn(type);
  return category.length > 0 ? category : [await session.mapper.resourceFor(type)];
}

/** The namespace for requests: undefined for cluster-scoped resources and for all namespaces. */
export function namespaceFor(
  session: Session,
  resource: DiscoveredResource,
  allNamespaces: boolean | undefined,
): string | undefined {
  return resource.namespaced && allNamespaces !== true ? session.namespace : undefined;
}

/** `pod`, `deployment.apps`: how a resource is named before a slash. */
export function shownType(resource: DiscoveredResource): string {
  const singular = resource.singular === '' ? resource.kind.toLowerCase() : resource.singular;
  return resource.group === '' ? singular : `${singular}.${resource.group}`;
}
