// Where a watch begins (spec/apiserver.md §6.3): what is sent of the present state, and from which revision on events
// follow. The result is a registered watcher, so that nothing is lost between the snapshot and the stream.

import type { StoredResource } from '../registry/stored-resource.ts';
import { newExpired, newTooLargeResourceVersion } from '@homeostat/machinery';
import { type CacheWatcher, inScope } from '../watch-cache/cache-watcher.ts';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { freshnessTimeoutMs, waitForCurrent, waitForRevision } from './list-objects.ts';
import type { ListOptions } from './list-options.ts';
import { parseRevision } from './parse-revision.ts';
import type { SelectedPredicate } from './selector-predicate.ts';

export interface StartedWatch {
  readonly watcher: CacheWatcher;
  /** Sent as ADDED before anything else, in key order. */
  readonly initial: readonly ObjectVersion[];
  /** Revision of the snapshot `initial` is of; events at or below it are not sent. */
  readonly revision: number;
  /** Whether the end of the initial events is marked by a bookmark. */
  readonly marksEnd: boolean;
}

/** @throws ApiError: with reason Expired or Timeout it belongs into the stream, as an ERROR event */
export async function startWatch(
  resource: StoredResource,
  options: ListOptions,
  predicate: SelectedPredicate,
  signal: AbortSignal,
): Promise<StartedWatch> {
  const revision = parseRevision(options.resourceVersion);
  await waitForRevision(resource, 0, signal); // a resource that was just added may still be loading
  if (options.sendInitialEvents === true) {
    if (options.resourceVersion === '') await waitForCurrent(resource, signal);
    else if (resource.hub.revision < revision) await waitInStream(resource, revision, signal);
    const now = resource.hub.revision;
    const watcher = open(resource, predicate, now);
    const initial = resource.cache.list(predicate.namespace).filter((version) => inScope(predicate, version));
    return { watcher, initial, revision: now, marksEnd: options.allowWatchBookmarks };
  }
  if (revision === 0) {
    if (options.resourceVersion === '') await waitForCurrent(resource, signal);
    const now = resource.hub.revision;
    return { watcher: open(resource, predicate, now), initial: [], revision: now, marksEnd: false };
  }
  const watcher = open(resource, predicate, Math.min(revision, resource.hub.revision));
  return { watcher, initial: [], revision, marksEnd: false };
}

async function waitInStream(resource: StoredResource, revision: number, signal: AbortSignal): Promise<void> {
  const reached = await resource.hub.waitFor(revision, { timeoutMs: freshnessTimeoutMs, signal });
  if (!reached) throw newTooLargeResourceVersion(revision, resource.hub.revision);
}

function open(resource: StoredResource, predicate: SelectedPredicate, revision: number): CacheWatcher {
  const watcher = resource.cache.watch(predicate, revision, resource.hub.revision);
  if (watcher === undefined) throw newExpired(`too old resource version: ${revision} (${resource.cache.floor})`);
  return watcher;
}
