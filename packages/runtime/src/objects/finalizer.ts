// Finalizers: set before anything outside is touched, taken off only when the clean-up has succeeded, never on an error. All changes are
// JSON patches that test what they rest on, so that a racing delete, recreation or other finalizer is never overrun (case G13).

import { isApiError } from '@homeostat/base';
import { type Json, type KubeObject, newConflict } from '@homeostat/machinery';
import { type Client, isConflict, isInvalid, isNotFound, type ResourceType } from '@homeostat/client';

export interface FinalizerTarget<T extends KubeObject> {
  readonly resource: ResourceType<T>;
  readonly object: T;
  /** With a domain, e.g. `example.com/disk`. */
  readonly finalizer: string;
  readonly signal?: AbortSignal;
}

export interface FinalizedOptions<T extends KubeObject, R, C = R> extends FinalizerTarget<T> {
  /** The ordinary work; the object has the finalizer by now. */
  reconcile(object: T): Promise<R>;
  /**
   * Undoes what was done outside; must be idempotent. Rejecting keeps the finalizer; so does an answer with `requeueAfterMs`: not done yet.
   */
  cleanUp(object: T): Promise<C>;
}

/** Removals tried again on a fresh read, when somebody else wrote meanwhile. */
const removalsMax = 5;

/**
 * Runs `reconcile` for an object that lives and `cleanUp` for one that is being deleted.
 *
 * Guarantees: (1) `reconcile` never runs before the finalizer is stored; (2) the finalizer goes only after `cleanUp` has resolved; (3) `cleanUp`
 * is only called for the object that is really being deleted: it is read live first, so a stale cache that shows a former object
 * of the name destroys nothing (case O13).
 *
 * @example
 * reconcile: async ({ key, caches, client }) => {
 *   const disk = caches.lister(disks).getByKey(key);
 *   if (disk === undefined) return;
 *   return finalized(client, {
 *     resource: disks, object: disk, finalizer: 'example.com/disk',
 *     reconcile: (object) => cloud.ensure(object),
 *     cleanUp: (object) => cloud.release(object),
 *   });
 * }
 */
export async function finalized<T extends KubeObject, R, C>(
  client: Client,
  options: FinalizedOptions<T, R, C>,
): Promise<R | C | undefined> {
  const { object, finalizer } = options;
  if (object.metadata?.deletionTimestamp === undefined) {
    return options.reconcile(await addFinalizer(client, options));
  }
  if (!hasFinalizer(object, finalizer)) return undefined;
  const live = await readLive(client, options);
  if (live?.metadata?.deletionTimestamp === undefined || !hasFinalizer(live, finalizer)) return undefined;
  const result = await options.cleanUp(live);
  if (wantsMore(result)) return result;
  await removeFinalizer(client, { ...options, object: live });
  return result;
}

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata?.finalizers?.includes(finalizer) === true;
}

/**
 * Puts a finalizer on; the object as it is then. Nothing is sent when it is there.
 * @throws ApiError Conflict when the object has changed, is being deleted, or is another one by now: look again.
 */
export async function addFinalizer<T extends KubeObject>(client: Client, target: FinalizerTarget<T>): Promise<T> {
  const { object, finalizer } = target;
  if (hasFinalizer(object, finalizer)) return object;
  const { finalizers = [], resourceVersion = '' } = object.metadata ?? {};
  // Without a list there is nothing to append to, and making one must not overwrite another's. With one, it must not be put on twice.
  const change: readonly Json[] =
    finalizers.length > 0
      ? [
          { op: 'test', path: '/metadata/finalizers', value: [...finalizers] },
          { op: 'add', path: '/metadata/finalizers/-', value: finalizer },
        ]
      : [
          { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
          { op: 'add', path: '/metadata/finalizers', value: [finalizer] },
        ];
  return patch(client, target, change);
}

/**
 * Takes a finalizer off. Fine when it, or the object, is gone. Somebody else's writes in between are read again, at most 5 times.
 * @throws ApiError Conflict after that, and any other error at once.
 */
export async function removeFinalizer<T extends KubeObject>(client: Client, target: FinalizerTarget<T>): Promise<void> {
  let { object }: { object: T | undefined } = target;
  for (let tries = 1; object !== undefined; tries++) {
    const { finalizers = [] } = object.metadata ?? {};
    // Each time it is there, from the end, so that places stay what they are.
    const removals: readonly Json[] = finalizers
      .flatMap((value, at) => (value === target.finalizer ? [`/metadata/finalizers/${at}`] : []))
      .toReversed()
      .flatMap((path): Json[] => [
        { op: 'test', path, value: target.finalizer },
        { op: 'remove', path },
      ]);
    if (removals.length === 0) return;
    try {
      await patch(client, { ...target, object }, removals);
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries >= removalsMax) throw error;
      object = await readLive(client, target);
    }
  }
}

/** The object as the server has it; undefined when it, by its uid, is gone. */
async function readLive<T extends KubeObject>(client: Client, target: FinalizerTarget<T>): Promise<T | undefined> {
  const { resource, object, signal } = target;
  try {
    const live = await client.get(resource, {
      namespace: object.metadata?.namespace,
      name: object.metadata?.name ?? '',
      ...(signal === undefined ? {} : { signal }),
    });
    return live.metadata?.uid === object.metadata?.uid ? live : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function patch<T extends KubeObject>(
  client: Client,
  { resource, object, signal }: FinalizerTarget<T>,
  change: readonly Json[],
): Promise<T> {
  const { namespace, name = '', uid = '' } = object.metadata ?? {};
  try {
    return await client.patch(resource, {
      namespace,
      name,
      type: 'json',
      patch: [{ op: 'test', path: '/metadata/uid', value: uid }, ...change],
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    // A test that fails, and a finalizer too late, are answered with 422: for the caller they are conflicts.
    if (!isInvalid(error)) throw error;
    const text = isApiError(error) ? error.message : 'it has changed';
    throw newConflict(resource, name, text);
  }
}

function wantsMore(result: unknown): boolean {
  return (
    typeof result === 'object' && result !== null && 'requeueAfterMs' in result && result.requeueAfterMs !== undefined
  );
}
