// What a server serves (spec/client.md §1.6): aggregated discovery, two requests; the older one request per group version where the
// server lacks it. Groups that fail are reported beside those that don't.

import type { Client } from '../client/client.ts';
import { resourceType, type ResourceType } from '../resource/resource-type.ts';
import { excerpt, readBody } from '../rest/body.ts';
import { decodeError } from '../rest/decode-error.ts';
import { apiErrorOf } from '../rest/predicates.ts';
import { TransportError } from '../transport/transport-error.ts';

/** A served resource with what discovery says of it. */
export interface DiscoveredResource extends ResourceType {
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly DiscoveredSubresource[];
}

export interface DiscoveredSubresource {
  /** e.g. `status`. */
  readonly name: string;
  readonly verbs: readonly string[];
}

export interface DiscoveredGroup {
  readonly group: string;
  /** Preferred first. */
  readonly versions: readonly string[];
}

export interface Discovery {
  /** In the server's order. */
  readonly groups: readonly DiscoveredGroup[];
  readonly resources: readonly DiscoveredResource[];
  /** Group versions that could not be read, with the reason. */
  readonly failures: ReadonlyMap<string, Error>;
}

const aggregated = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/**
 * Documents by path with their ETags, from one reading to the next: what has not changed is not sent again. Belongs to one client; hand the
 * same map to every {@link discover}. It grows with the paths read: two, or one a group version where the server aggregates nothing.
 */
export type DiscoveryCache = Map<string, { readonly etag: string; readonly document: object }>;

export interface DiscoverOptions {
  readonly signal?: AbortSignal;
  readonly cache?: DiscoveryCache;
}

/** Reads discovery. @throws when neither `/api` nor `/apis` can be read. */
export async function discover(client: Client, options: DiscoverOptions = {}): Promise<Discovery> {
  const groups: DiscoveredGroup[] = [];
  const resources: DiscoveredResource[] = [];
  const failures = new Map<string, Error>();
  for (const path of ['/api', '/apis']) {
    const document = await read(client, path, options, aggregated);
    if (document === undefined) continue;
    if (!kinds.has((document as { readonly kind?: unknown }).kind))
      throw new TransportError('protocol', `wanted discovery from GET ${path}, got ${excerpt(document)}`);
    if (isAggregated(document)) addAggregated(document, { groups, resources, failures });
    else await addLegacy(client, document, options, { groups, resources, failures });
  }
  return { groups, resources, failures };
}

const kinds = new Set<unknown>(['APIGroupDiscoveryList', 'APIVersions', 'APIGroupList']);

interface Found {
  readonly groups: DiscoveredGroup[];
  readonly resources: DiscoveredResource[];
  readonly failures: Map<string, Error>;
}

interface AggregatedList {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly AggregatedVersion[];
  }[];
}

interface AggregatedVersion {
  readonly version: string;
  readonly freshness?: string;
  readonly resources?: readonly {
    readonly resource: string;
    readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind: string };
    readonly scope?: string;
    readonly singularResource?: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
    readonly subresources?: readonly { readonly subresource: string; readonly verbs?: readonly string[] }[];
  }[];
}

function isAggregated(document: unknown): document is AggregatedList {
  return (document as { readonly kind?: string }).kind === 'APIGroupDiscoveryList';
}

function addAggregated(list: AggregatedList, { groups, resources, failures }: Found): void {
  for (const item of list.items) {
    const group = item.metadata?.name ?? '';
    const versions = item.versions ?? [];
    groups.push({ group, versions: versions.map(({ version }) => version) });
    for (const { version, freshness, resources: served = [] } of versions) {
      if (freshness === 'Stale')
        failures.set(`${group}/${version}`, new Error(`stale GroupVersion discovery: ${group}/${version}`));
      for (const entry of served) {
        if (entry.responseKind === undefined) continue;
        const {
          resource,
          responseKind,
          scope,
          singularResource = '',
          verbs = [],
          shortNames = [],
          categories = [],
        } = entry;
        resources.push({
          ...resourceType({ group, version, resource, kind: responseKind.kind, namespaced: scope === 'Namespaced' }),
          singular: singularResource,
          verbs,
          shortNames,
          categories,
          subresources: (entry.subresources ?? []).map((sub) => ({ name: sub.subresource, verbs: sub.verbs ?? [] })),
        });
      }
    }
  }
}

interface LegacyVersions {
  /** `/api`. */
  readonly versions?: readonly string[];
  /** `/apis`. */
  readonly groups?: readonly {
    readonly name: string;
    readonly preferredVersion?: { readonly version: string };
    readonly versions: readonly { readonly version: string }[];
  }[];
}

interface LegacyResources {
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly verbs?: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

async function addLegacy(client: Client, document: unknown, options: DiscoverOptions, found: Found): Promise<void> {
  const { versions = [], groups = [] } = document as LegacyVersions;
  const all = [
    ...(versions.length === 0 ? [] : [{ group: '', versions }]),
    ...groups.map(({ name, preferredVersion, versions: served }) => ({
      group: name,
      versions: served
        .map(({ version }) => version)
        .toSorted((a, b) => Number(b === preferredVersion?.version) - Number(a === preferredVersion?.version)),
    })),
  ];
  for (const { group, versions: served } of all) {
    found.groups.push({ group, versions: served });
    for (const version of served) {
      const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
      try {
        const list = await read(client, path, options, 'application/json');
        addLegacyResources((list ?? {}) as LegacyResources, { group, version }, found.resources);
      } catch (error) {
        options.signal?.throwIfAborted();
        found.failures.set(`${group}/${version}`, error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
}

function addLegacyResources(
  { resources = [] }: LegacyResources,
  gv: { readonly group: string; readonly version: string },
  into: DiscoveredResource[],
): void {
  for (const entry of resources) {
    if (entry.name.includes('/')) continue;
    const prefix = `${entry.name}/`;
    into.push({
      ...resourceType({ ...gv, resource: entry.name, kind: entry.kind, namespaced: entry.namespaced }),
      singular: entry.singularName ?? '',
      verbs: entry.verbs ?? [],
      shortNames: entry.shortNames ?? [],
      categories: entry.categories ?? [],
      subresources: resources
        .filter(({ name }) => name.startsWith(prefix))
        .map(({ name, verbs = [] }) => ({ name: name.slice(prefix.length), verbs })),
    });
  }
}

/** A document, or undefined when the server has none there. */
async function read(
  client: Client,
  path: string,
  options: DiscoverOptions,
  accept: string,
): Promise<object | undefined> {
  const { signal, cache } = options;
  const cached = cache?.get(path);
  const response = await client.send({
    method: 'GET',
    path,
    headers: { accept, ...(cached === undefined ? {} : { 'if-none-match': cached.etag }) },
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.status === 304 && cached !== undefined) return cached.document;
  if (response.status >= 300) {
    const error = await decodeError(response, { method: 'GET' });
    const code = apiErrorOf(error)?.code;
    if (code === 406 && accept !== 'application/json') return read(client, path, options, 'application/json');
    if (code === 404 && (path === '/api' || path === '/apis')) return undefined;
    throw error;
  }
  const body = await readBody(response);
  if (typeof body !== 'object' || body === null)
    throw new TransportError('protocol', `wanted discovery from GET ${path}, got ${excerpt(body)}`);
  const document = withoutNulls(body) as object;
  const { etag } = response.headers;
  if (typeof etag === 'string' && etag !== '') cache?.set(path, { etag, document });
  else cache?.delete(path);
  return document;
}

/** Go writes a nil slice as null where it means none. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}
