// Delete: grace periods, finalizers and propagation first, then the key (spec/apiserver.md §9.1, §9.2). Kinds with a
// deletion of their own (namespaces) have it in `kinds/`.

import {
  formatTime,
  type KubeObject,
  type Mutable,
  newConflict,
  newForbidden,
  newNotFound,
  type ObjectMeta,
  parseTime,
} from '@homeostat/machinery';
import { isApiError } from '@homeostat/base';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { metadataOf } from './create.ts';
import { removeKey } from './delete-key.ts';
import { deletionFinalizers, type DeleteOptions } from './delete-options.ts';
import { guaranteedUpdate } from './guaranteed-update.ts';
import type { StoredResource } from './stored-resource.ts';
import type { ValidateDelete, WriteContext } from './write-context.ts';

export interface DeleteRequest {
  readonly namespace: string;
  readonly name: string;
  readonly options: DeleteOptions;
  readonly context: WriteContext;
  readonly validate: ValidateDelete;
}

export interface DeleteOutcome {
  readonly version: ObjectVersion;
  /** False when the object is still there, waiting for finalizers or its grace period. */
  readonly deleted: boolean;
  /** Whether kinds that answer a Status do so here. */
  readonly finalized: boolean;
}

/** How far a deletion gets in one step. */
type Grace =
  /** Not a graceful kind, or no grace left: the key may go. */
  | { readonly type: 'none' }
  /** Deletion is under way and this request changes nothing of it. */
  | { readonly type: 'pending' }
  | { readonly type: 'graceful'; readonly seconds: number; readonly meta: Partial<Mutable<ObjectMeta>> };

class AlreadyDeleting extends Error {}

/** @throws ApiError */
export async function deleteObject(resource: StoredResource, request: DeleteRequest): Promise<DeleteOutcome> {
  const { namespace, name, context } = request;
  const refusal = resource.strategy.refusesDelete?.(name);
  if (refusal !== undefined) throw newForbidden(resource.groupResource, name, refusal);
  const existing = await resource.current(namespace, name);
  if (existing === undefined) throw newNotFound(resource.groupResource, name);
  const grace = beforeDelete(resource, existing.object, request.options);
  if (grace.type === 'pending') return { version: existing, deleted: false, finalized: true };
  let last: ObjectVersion | undefined;
  let ignoreMissing = false;
  let preconditions = request.options.preconditions;
  const hasFinalizers = (existing.stored.metadata?.finalizers ?? []).length > 0;
  if (
    grace.type === 'graceful' ||
    hasFinalizers ||
    deletionFinalizers(resource, existing.object, request.options) !== undefined
  ) {
    const step = await markDeleting(resource, request, existing);
    if (!step.remove) return { version: step.version, deleted: false, finalized: step.finalized };
    last = step.version;
    ignoreMissing = step.graceful;
    // The mark was this request's own write: a resourceVersion precondition moves on with it.
    if (preconditions?.resourceVersion !== undefined)
      preconditions = { ...preconditions, resourceVersion: String(last.revision) };
  }
  if (context.dryRun) {
    if (last === undefined) await request.validate(existing.object);
    return { version: last ?? existing, deleted: true, finalized: true };
  }
  try {
    const version = await removeKey(resource, { namespace, name, preconditions, context, validate: request.validate });
    return { version: version ?? last ?? existing, deleted: true, finalized: true };
  } catch (error) {
    // A kubelet may have been faster with a pod that this request only shortened.
    if (ignoreMissing && last !== undefined && isApiError(error, 'NotFound'))
      return { version: last, deleted: true, finalized: true };
    throw error;
  }
}

interface MarkResult {
  readonly version: ObjectVersion;
  readonly remove: boolean;
  readonly graceful: boolean;
  readonly finalized: boolean;
}

/** Writes deletionTimestamp, grace period and finalizers as the options ask. */
async function markDeleting(
  resource: StoredResource,
  request: DeleteRequest,
  seen: ObjectVersion,
): Promise<MarkResult> {
  let graceSeconds = 0;
  let wasGraceful = false;
  let pendingFinalizers = false;
  try {
    const { version } = await guaranteedUpdate(resource, {
      namespace: request.namespace,
      name: request.name,
      preconditions: request.options.preconditions,
      dryRun: request.context.dryRun,
      signal: request.context.signal,
      term: request.context.term,
      transform: async (current) => {
        if (current === undefined) throw newNotFound(resource.groupResource, request.name);
        await request.validate(current.object);
        const grace = beforeDelete(resource, current.object, request.options);
        if (grace.type === 'pending') throw new AlreadyDeleting();
        const draft = { ...current.object, metadata: { ...current.object.metadata } } as Mutable<KubeObject>;
        const meta = metadataOf(draft);
        if (grace.type === 'graceful') Object.assign(meta, grace.meta);
        const finalizers = deletionFinalizers(resource, current.object, request.options);
        if (finalizers !== undefined) meta.finalizers = [...finalizers];
        pendingFinalizers = (meta.finalizers ?? []).length > 0;
        wasGraceful = grace.type === 'graceful';
        graceSeconds = grace.type === 'graceful' ? grace.seconds : 0;
        if (!wasGraceful && pendingFinalizers)
          Object.assign(meta, deletionMark(meta as ObjectMeta, resource.env.clock.nowMs(), 0));
        return { type: 'put', draft };
      },
    });
    return { version, remove: !pendingFinalizers && graceSeconds === 0, graceful: wasGraceful, finalized: false };
  } catch (error) {
    if (error instanceof AlreadyDeleting) return { version: seen, remove: false, graceful: false, finalized: true };
    throw error;
  }
}

/** Marks an object that has no grace period of its own as being deleted, now; raises its generation the first time. */
export function deletionMark(meta: ObjectMeta, nowMs: number, graceSeconds: number): Partial<Mutable<ObjectMeta>> {
  const already = meta.deletionTimestamp === undefined ? undefined : parseTime(meta.deletionTimestamp);
  return {
    ...(already === undefined && (meta.generation ?? 0) > 0 ? { generation: (meta.generation ?? 0) + 1 } : {}),
    ...(already === undefined || already > nowMs ? { deletionTimestamp: formatTime(nowMs) } : {}),
    deletionGracePeriodSeconds: graceSeconds,
  };
}

/** Preconditions in the words of the delete path, then what the grace period rules say. */
function beforeDelete(resource: StoredResource, object: KubeObject, options: DeleteOptions): Grace {
  checkDeletePreconditions(resource, object, options);
  const gracefulDeletion = resource.strategy.gracefulDeletion;
  if (gracefulDeletion === undefined) return { type: 'none' };
  const meta = object.metadata ?? {};
  const requested =
    options.gracePeriodSeconds === undefined
      ? undefined
      : options.gracePeriodSeconds < 0
        ? 1
        : options.gracePeriodSeconds;
  const nowMs = resource.env.clock.nowMs();
  if (meta.deletionTimestamp !== undefined) return shorten(meta, requested, nowMs);
  const seconds = gracefulDeletion.call(resource.strategy, object as never, requested);
  if (seconds === undefined) return { type: 'none' };
  const generation = meta.generation ?? 0;
  return {
    type: 'graceful',
    seconds,
    meta: {
      deletionTimestamp: formatTime(nowMs + seconds * 1000),
      deletionGracePeriodSeconds: seconds,
      ...(generation > 0 ? { generation: generation + 1 } : {}),
    },
  };
}

/** A pending deletion can only be made shorter. */
function shorten(meta: ObjectMeta, requested: number | undefined, nowMs: number): Grace {
  const present = meta.deletionGracePeriodSeconds;
  if (present === undefined) return { type: 'none' };
  if (requested === undefined || requested >= present) return { type: 'pending' };
  const startMs = parseTime(meta.deletionTimestamp ?? '') - present * 1000;
  let seconds = requested;
  let dueMs = startMs + requested * 1000;
  if (dueMs < nowMs) {
    dueMs = nowMs;
    if (seconds !== 0) seconds = 1;
  }
  return {
    type: 'graceful',
    seconds,
    meta: { deletionTimestamp: formatTime(dueMs), deletionGracePeriodSeconds: seconds },
  };
}

export function checkDeletePreconditions(resource: StoredResource, object: KubeObject, options: DeleteOptions): void {
  const meta = object.metadata ?? {};
  const { uid, resourceVersion } = options.preconditions ?? {};
  // Upstream puts the kind where other errors have the resource.
  const kind = { group: resource.info.group, resource: resource.info.kind };
  if (uid !== undefined && uid !== meta.uid) {
    throw newConflict(
      kind,
      meta.name ?? '',
      `the UID in the precondition (${uid}) does not match the UID in record (${meta.uid ?? ''}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    throw newConflict(
      kind,
      meta.name ?? '',
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${meta.resourceVersion ?? ''}). The object might have been modified`,
    );
  }
}
