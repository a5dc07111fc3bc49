// Names to resources and kinds to resources, as users write them: `po`, `pods`, `deployments.apps`, `deployments.v1.apps`. Over discovery,
// which `discovery-source.ts` reads and keeps.

import type { Env } from '@homeostat/base';
import { parseApiVersion } from '@homeostat/machinery';
import type { Client } from '../client/client.ts';
import type { DiscoveredResource, Discovery } from './discovery.ts';
import { DiscoverySource } from './discovery-source.ts';

/** Nothing that is served has this name or kind. */
export class NoMatchError extends Error {
  override readonly name = 'NoMatchError';
}

/** A kind; without a version, in the preferred one. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
  readonly version?: string | undefined;
}

/**
 * Maps names and kinds to what a client takes: objects of kinds that no type is known for are read and written like any others.
 *
 * @example
 * const widgets = await mapper.resourceFor({ group: 'example.com', version: 'v1', kind: 'Widget' });
 * for (const widget of (await client.list(widgets, { namespace: 'x' })).items) console.log(widget.metadata?.name);
 */
export interface RestMapper {
  /**
   * The resource of a kind, or the one a name stands for: plural, singular, short name or kind, with `.group` or `.version.group` behind it.
   * Of several, the first group in the server's order, in its preferred version.
   * @throws NoMatchError; what reading discovery throws.
   */
  resourceFor(what: string | GroupKind, options?: { readonly signal?: AbortSignal }): Promise<DiscoveredResource>;
  /** The resource of a kind. @throws NoMatchError */
  resourceForKind(kind: GroupKind, options?: { readonly signal?: AbortSignal }): Promise<DiscoveredResource>;
  /** The resource of an object's apiVersion and kind. @throws NoMatchError */
  resourceForObject(
    object: { readonly apiVersion?: string; readonly kind?: string },
    options?: { readonly signal?: AbortSignal },
  ): Promise<DiscoveredResource>;
  /** Resources of a category, e.g. `all`, in preferred versions. */
  resourcesIn(category: string, options?: { readonly signal?: AbortSignal }): Promise<readonly DiscoveredResource[]>;
  /** Everything that is served. */
  discovery(options?: { readonly signal?: AbortSignal }): Promise<Discovery>;
  /** The next question reads discovery anew. */
  reset(): void;
}

export interface RestMapperOptions {
  readonly client: Client;
  readonly env: Env;
  /** Discovery older than this is read again by the next question; default 10 minutes. */
  readonly maxAgeMs?: number;
}

/**
 * Creates a mapper; nothing is read before the first question.
 *
 * What is not found is looked for once more in a reading that begins after the question, since a CRD may be new; then not again for three
 * seconds, each name and kind for itself. Readings are shared, one at a time, and cost little where the server knows ETags.
 */
export function createRestMapper(options: RestMapperOptions): RestMapper {
  const { client, env } = options;
  const source = new DiscoverySource({ client, env, maxAgeMs: options.maxAgeMs ?? 600_000 });

  const find = async (
    search: (discovery: Discovery) => DiscoveredResource | undefined,
    what: string,
    { signal, groupVersion }: { readonly signal?: AbortSignal | undefined; readonly groupVersion?: string },
  ): Promise<DiscoveredResource> => {
    const asked = source.begun;
    const found = search(await source.current(signal));
    if (found !== undefined) return found;
    const again = await source.afterMiss(what, asked, signal);
    const foundNow = search(again);
    if (foundNow !== undefined) return foundNow;
    const failure = groupVersion === undefined ? undefined : again.failures.get(groupVersion);
    throw failure === undefined
      ? new NoMatchError(what)
      : new NoMatchError(`${what}: ${failure.message}`, { cause: failure });
  };

  const mapper: RestMapper = {
    resourceFor: (what, { signal } = {}) =>
      typeof what === 'string'
        ? find(
            (discovery) => byName(discovery, what),
            `the server doesn't have a resource type ${JSON.stringify(what)}`,
            { signal },
          )
        : mapper.resourceForKind(what, signal === undefined ? {} : { signal }),
    resourceForKind: (kind, { signal } = {}) => {
      const groupVersion = kind.version === undefined ? kind.group : apiVersion(kind.group, kind.version);
      return find(
        (discovery) => byKind(discovery, kind),
        `no matches for kind ${JSON.stringify(kind.kind)} in version ${JSON.stringify(groupVersion)}`,
        { signal, groupVersion },
      );
    },
    resourceForObject: ({ apiVersion: version = '', kind = '' }, callOptions) =>
      mapper.resourceForKind({ ...parseApiVersion(version), kind }, callOptions),
    resourcesIn: async (category, { signal } = {}) => {
      const discovery = await source.current(signal);
      return discovery.resources.filter(
        (resource) => resource.categories.includes(category) && isPreferred(discovery, resource),
      );
    },
    discovery: ({ signal } = {}) => source.current(signal),
    reset: () => source.reset(),
  };
  return mapper;
}

function byName(discovery: Discovery, name: string): DiscoveredResource | undefined {
  const [first = '', ...rest] = name.split('.');
  const wanted = first.toLowerCase();
  const suffix = rest.join('.');
  const candidates = discovery.resources.filter((resource) => {
    if (rest.length === 0) return true;
    return (
      suffix === resource.group ||
      suffix === `${resource.version}.${resource.group}` ||
      (resource.group === '' && suffix === resource.version)
    );
  });
  const matches = candidates.filter(({ resource, singular, kind, shortNames }) => {
    return resource === wanted || singular === wanted || kind.toLowerCase() === wanted || shortNames.includes(wanted);
  });
  // The plural name is nobody else's short name.
  return (
    preferred(
      discovery,
      matches.filter(({ resource }) => resource === wanted),
    ) ?? preferred(discovery, matches)
  );
}

function byKind(discovery: Discovery, { group, kind, version }: GroupKind): DiscoveredResource | undefined {
  const matches = discovery.resources.filter((resource) => resource.group === group && resource.kind === kind);
  return version === undefined
    ? preferred(discovery, matches)
    : matches.find((resource) => resource.version === version);
}

/** The one in the first group, in the most preferred version. */
function preferred(discovery: Discovery, matches: readonly DiscoveredResource[]): DiscoveredResource | undefined {
  for (const { group, versions } of discovery.groups) {
    for (const version of versions) {
      const found = matches.find((match) => match.group === group && match.version === version);
      if (found !== undefined) return found;
    }
  }
  return matches[0];
}

function isPreferred(discovery: Discovery, resource: DiscoveredResource): boolean {
  const same = discovery.resources.filter(
    (other) => other.group === resource.group && other.resource === resource.resource,
  );
  return preferred(discovery, same) === resource;
}

function apiVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}
