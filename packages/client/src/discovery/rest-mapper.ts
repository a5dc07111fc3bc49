// Names to resources and kinds to resources, as users write them: `po`, `pods`, `deployments.apps`, `deployments.v1.apps`. Over discovery,
// which is read when first needed and once more when a name is not found (a CRD may be new).

import { parseApiVersion } from '@homeostat/machinery';
import type { Client } from '../client/client.ts';
import type { Env } from '@homeostat/base';
import { discover, type DiscoveredResource, type Discovery } from './discovery.ts';

/** Nothing that is served has this name or kind. */
export class NoMatchError extends Error {
  override readonly name = 'NoMatchError';
}

export interface RestMapper {
  /**
   * The resource a name stands for: plural, singular, short name or kind, with `.group` or `.version.group` behind it. Of several, the first
   * group in the server's order, in its preferred version. @throws NoMatchError
   */
  resourceFor(name: string, options?: { readonly signal?: AbortSignal }): Promise<DiscoveredResource>;
  /** The resource of a kind; without a version, the preferred one. @throws NoMatchError */
  resourceForKind(
    kind: { readonly group: string; readonly kind: string; readonly version?: string },
    options?: { readonly signal?: AbortSignal },
  ): Promise<DiscoveredResource>;
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
}

/** Discovery younger than this is not read again for a name that is missing: a typing error must not cost a request each time. */
const freshMs = 1_000;

/** Creates a mapper; nothing is read before the first question. */
export function createRestMapper(options: RestMapperOptions): RestMapper {
  const { client, env } = options;
  let known: Discovery | undefined;
  let readAtMs = 0;

  const read = async (signal: AbortSignal | undefined): Promise<Discovery> => {
    known = await discover(client, signal === undefined ? {} : { signal });
    readAtMs = env.clock.monotonicMs();
    return known;
  };

  const find = async (
    search: (discovery: Discovery) => DiscoveredResource | undefined,
    what: string,
    signal: AbortSignal | undefined,
  ): Promise<DiscoveredResource> => {
    const found = search(known ?? (await read(signal)));
    if (found !== undefined) return found;
    const fresh = env.clock.monotonicMs() - readAtMs < freshMs;
    const again = fresh ? undefined : search(await read(signal));
    if (again !== undefined) return again;
    throw new NoMatchError(what);
  };

  const mapper: RestMapper = {
    resourceFor: (name, { signal } = {}) =>
      find(
        (discovery) => byName(discovery, name),
        `the server doesn't have a resource type ${JSON.stringify(name)}`,
        signal,
      ),
    resourceForKind: (kind, { signal } = {}) =>
      find(
        (discovery) => byKind(discovery, kind),
        `no matches for kind ${JSON.stringify(kind.kind)} in version ${JSON.stringify(kind.version === undefined ? kind.group : apiVersion(kind.group, kind.version))}`,
        signal,
      ),
    resourceForObject: ({ apiVersion: version = '', kind = '' }, callOptions) =>
      mapper.resourceForKind({ ...parseApiVersion(version), kind }, callOptions),
    resourcesIn: async (category, { signal } = {}) => {
      const discovery = known ?? (await read(signal));
      return discovery.resources.filter(
        (resource) => resource.categories.includes(category) && isPreferred(discovery, resource),
      );
    },
    discovery: async ({ signal } = {}) => known ?? read(signal),
    reset: () => {
      known = undefined;
    },
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

function byKind(
  discovery: Discovery,
  { group, kind, version }: { readonly group: string; readonly kind: string; readonly version?: string },
): DiscoveredResource | undefined {
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
