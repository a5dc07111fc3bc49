// Finds what a LIST shows: the resourceVersion matrix, exact snapshots for pages, 410 with a fresh token
// (spec/apiserver.md §5.2, §5.3). Returns object versions; encoding is somebody else's business.

import { abortable, ApiError, type Clock } from '@homeostat/base';
import { newBadRequest, newExpired, newInternalError, newTooLargeResourceVersion } from '@homeostat/machinery';
import { StorageError } from '@homeostat/storage';
import type { StoredResource } from '../registry/stored-resource.ts';
import { inScope } from '../watch-cache/cache-watcher.ts';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import type { ListOptions } from './list-options.ts';
import { parseRevision } from './parse-revision.ts';
import type { SelectedPredicate } from './selector-predicate.ts';

export interface ListedObjects {
  readonly items: readonly ObjectVersion[];
  readonly revision: number;
  /** Empty on the last page. */
  readonly continue: string;
  readonly remaining: number | undefined;
}

/** How long a read waits for a revision that has not arrived. */
export const freshnessTimeoutMs = 3_000;

const yieldEveryMs = 8;

/** @throws ApiError 400, 410, 504 */
export async function listObjects(
  resource: StoredResource,
  options: ListOptions,
  predicate: SelectedPredicate,
  signal: AbortSignal,
): Promise<ListedObjects> {
  // Revision 0 means "whatever is there", all of it.
  const limit = options.resourceVersion === '0' ? 0 : Math.max(0, options.limit);
  if (options.continue !== '') {
    const token = decodeContinue(options.continue);
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
      throw newBadRequest('specifying resource version is not allowed when using continue');
    }
    const start = token.start.startsWith('/') ? token.start.slice(1) : token.start;
    if (token.revision < 0) {
      await waitForCurrent(resource, signal);
      return fromCache(resource, { ...predicate, name: '' }, limit, start, signal);
    }
    return fromStore(resource, { ...predicate, name: '' }, limit, token.revision, start, signal, true);
  }
  const revision = parseListRevision(options.resourceVersion);
  if (options.resourceVersion === '') {
    await waitForCurrent(resource, signal);
    return fromCache(resource, predicate, limit, '', signal);
  }
  const exact =
    options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && limit > 0 && revision > 0);
  if (exact) return fromStore(resource, predicate, limit, revision, '', signal, false);
  await waitForRevision(resource, revision, signal);
  return fromCache(resource, predicate, revision === 0 ? 0 : limit, '', signal);
}

function parseListRevision(text: string): number {
  try {
    return parseRevision(text);
  } catch (error) {
    throw newBadRequest(`invalid resource version: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Waits until the cache shows every write that was acknowledged before the call. */
export async function waitForCurrent(resource: StoredResource, signal: AbortSignal): Promise<void> {
  await waitForRevision(resource, resource.store.revision, signal);
}

/** @throws ApiError 504 when the cache does not get there in time */
export async function waitForRevision(resource: StoredResource, revision: number, signal: AbortSignal): Promise<void> {
  const loading = resource.hub.loading(resource.prefix);
  if (loading !== undefined) await abortable(loading, signal);
  if (resource.hub.revision >= revision) return;
  const reached = await resource.hub.waitFor(revision, { timeoutMs: freshnessTimeoutMs, signal });
  if (!reached) throw newTooLargeResourceVersion(revision, resource.hub.revision);
}

async function fromCache(
  resource: StoredResource,
  predicate: SelectedPredicate,
  limit: number,
  start: string,
  signal: AbortSignal,
): Promise<ListedObjects> {
  const revision = resource.hub.revision;
  if (predicate.name !== '' && start === '' && (predicate.namespace !== '' || !resource.info.namespaced)) {
    const found = resource.cache.get(resource.info.namespaced ? predicate.namespace : '', predicate.name);
    const items = found !== undefined && inScope(predicate, found) ? [found] : [];
    return { items, revision, continue: '', remaining: undefined };
  }
  const all = indexed(resource, predicate, resource.cache.list(predicate.namespace));
  const from = start === '' ? 0 : firstIndex(all, relative(predicate.namespace, start));
  return page(resource, all, from, predicate, limit, revision, signal);
}

/** With a selector the cache has an index for, only what the index holds counts as there to be paged. */
function indexed(resource: StoredResource, predicate: SelectedPredicate, all: ObjectVersion[]): ObjectVersion[] {
  const { indexed: index } = predicate;
  if (index === undefined || !resource.cache.indexedFields.includes(index.field)) return all;
  return all.filter((version) => version.fields(resource.cache.selectableFields)[index.field] === index.value);
}

/** Path below the resource's prefix that a token's start stands for. */
function relative(namespace: string, start: string): string {
  return namespace === '' ? start : `${namespace}/${start}`;
}

/** Index of the first object at or after a path, in key order. */
function firstIndex(all: readonly ObjectVersion[], path: string): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.path ?? '') < path) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function page(
  resource: StoredResource,
  all: readonly ObjectVersion[],
  from: number,
  predicate: SelectedPredicate,
  limit: number,
  revision: number,
  signal: AbortSignal,
): Promise<ListedObjects> {
  const clock = resource.env.clock;
  if (!predicate.selective) {
    const end = limit === 0 ? all.length : Math.min(all.length, from + limit);
    const items = from === 0 && end === all.length ? all : all.slice(from, end);
    const remaining = all.length - end;
    return remaining > 0
      ? { items, revision, continue: nextToken(predicate.namespace, items, revision), remaining }
      : { items, revision, continue: '', remaining: undefined };
  }
  const items: ObjectVersion[] = [];
  let sinceMs = clock.monotonicMs();
  for (let index = from; index < all.length; index++) {
    const version = all[index] as ObjectVersion;
    if (inScope(predicate, version)) items.push(version);
    if (limit > 0 && items.length === limit) {
      const more = index + 1 < all.length;
      return {
        items,
        revision,
        continue: more ? nextToken(predicate.namespace, items, revision) : '',
        remaining: undefined,
      };
    }
    if ((index & 255) === 255) sinceMs = await breathe(clock, sinceMs, signal);
  }
  return { items, revision, continue: '', remaining: undefined };
}

async function breathe(clock: Clock, sinceMs: number, signal: AbortSignal): Promise<number> {
  if (clock.monotonicMs() - sinceMs < yieldEveryMs) return sinceMs;
  await clock.yield();
  signal.throwIfAborted();
  return clock.monotonicMs();
}

function nextToken(namespace: string, items: readonly ObjectVersion[], revision: number): string {
  const last = items.at(-1);
  if (last === undefined) return '';
  return encodeContinue({ revision, start: `/${namespace === '' ? last.path : last.name}\u0000` });
}

/** Reads at exactly a revision, from the store's history. */
async function fromStore(
  resource: StoredResource,
  predicate: SelectedPredicate,
  limit: number,
  revision: number,
  start: string,
  signal: AbortSignal,
  paging: boolean,
): Promise<ListedObjects> {
  if (revision > resource.store.revision) {
    await waitForRevision(resource, revision, signal);
  }
  const prefix = predicate.namespace === '' ? resource.prefix : `${resource.prefix}${predicate.namespace}/`;
  const items: ObjectVersion[] = [];
  let from = `${prefix}${start}`;
  let more = false;
  let count = 0;
  try {
    if (predicate.name !== '' && start === '' && !(resource.info.namespaced && predicate.namespace === '')) {
      const { item } = await resource.store.get(`${prefix}${predicate.name}`, { revision });
      const found = item === undefined ? undefined : resource.version(item);
      return {
        items: found !== undefined && inScope(predicate, found) ? [found] : [],
        revision,
        continue: '',
        remaining: undefined,
      };
    }
    for (;;) {
      const pageSize = limit === 0 ? 0 : predicate.selective ? Math.max(limit, 500) : limit;
      const result = await resource.store.range({ prefix, from, limit: pageSize, revision });
      count = result.count - result.items.length;
      more = result.more;
      for (const [index, item] of result.items.entries()) {
        const version = resource.version(item);
        if (!inScope(predicate, version)) continue;
        items.push(version);
        if (limit > 0 && items.length === limit) {
          more ||= index + 1 < result.items.length;
          const remaining = predicate.selective ? undefined : result.count - (index + 1);
          return more
            ? { items, revision, continue: nextToken(predicate.namespace, items, revision), remaining }
            : { items, revision, continue: '', remaining: undefined };
        }
      }
      const last = result.items.at(-1);
      if (!more || last === undefined) break;
      from = `${last.key}\u0000`;
      signal.throwIfAborted();
    }
  } catch (error) {
    throw readError(error, resource, revision, start, paging);
  }
  return { items, revision, continue: '', remaining: more && !predicate.selective ? count : undefined };
}

const continueExpired =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted ' +
  'between the time the first chunk was returned and now may show up in the list.';

function readError(
  error: unknown,
  resource: StoredResource,
  revision: number,
  start: string,
  paging: boolean,
): unknown {
  if (!(error instanceof StorageError)) return error;
  if (error.code === 'future') return newTooLargeResourceVersion(revision, resource.store.revision);
  if (error.code !== 'compacted') return newInternalError(error);
  if (!paging) return newExpired('The resourceVersion for the provided list is too old.');
  const token = encodeContinue({ revision: -1, start });
  return new ApiError({ code: 410, reason: 'Expired', message: continueExpired, metadata: { continue: token } });
}
