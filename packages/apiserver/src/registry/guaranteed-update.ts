// The compare-and-swap loop under every change of an existing object (spec/apiserver.md §4.5): read, run the whole
// transform, write if nobody wrote in between, else start again with what is there now.

import { newConflict, newNotFound, newTimeout, type KubeObject, type Mutable } from '@homeostat/machinery';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { sameObject } from './same-object.ts';
import type { StoredResource } from './stored-resource.ts';
import { commit, type TermGuard } from './term-guard.ts';

export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

export interface GuaranteedUpdateRequest {
  readonly namespace: string;
  readonly name: string;
  readonly preconditions?: Preconditions | undefined;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  readonly term?: TermGuard | undefined;
  /** Whether `transform` runs (with undefined) when there is no object; else 404. */
  readonly allowMissing?: boolean;
  /**
   * The object to store, from the present one. A fresh draft each time; may be called again. `keep`: write nothing.
   */
  transform(existing: ObjectVersion | undefined): Promise<UpdateStep> | UpdateStep;
}

export type UpdateStep =
  | { readonly type: 'put'; readonly draft: Mutable<KubeObject> }
  /** Nothing to write; `existing` is the answer. */
  | { readonly type: 'keep' };

export interface UpdateOutcome {
  readonly version: ObjectVersion;
  readonly created: boolean;
  /** False when nothing had to be written. */
  readonly changed: boolean;
}

/** Writers that keep losing give up when their request's signal aborts; this only bounds a defect. */
const attemptsMax = 10_000;

export async function guaranteedUpdate(
  resource: StoredResource,
  request: GuaranteedUpdateRequest,
): Promise<UpdateOutcome> {
  const { namespace, name, signal } = request;
  const key = resource.key(namespace, name);
  let existing = await resource.current(namespace, name);
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    signal.throwIfAborted();
    if (existing === undefined && request.allowMissing !== true) throw newNotFound(resource.groupResource, name);
    if (existing !== undefined) checkPreconditions(resource, key, existing, request.preconditions);
    const step = await request.transform(existing);
    if (step.type === 'keep') {
      if (existing === undefined) throw newNotFound(resource.groupResource, name);
      return { version: existing, created: false, changed: false };
    }
    const holder = resource.toStored(step.draft);
    if (existing !== undefined && sameObject(existing.stored, holder.object)) {
      return { version: existing, created: false, changed: false };
    }
    if (request.dryRun) {
      // A dry run that would create shows the version it was sent with.
      const revision = existing?.revision ?? (Number(step.draft.metadata?.resourceVersion ?? 0) || 0);
      const version = resource.unsaved(key, revision, holder.object);
      return { version, created: existing === undefined, changed: true };
    }
    const ttl = resource.ttlSeconds === 0 ? {} : { ttlSeconds: resource.ttlSeconds };
    const result = await commit(resource.store, request.term, {
      compare: [{ key, modRevision: existing?.revision ?? 0 }],
      operations: [{ type: 'put', key, value: holder, ...ttl }],
    });
    if (result.succeeded) {
      return {
        version: resource.written(key, result.revision, holder),
        created: existing === undefined,
        changed: true,
      };
    }
    const current = result.current[0];
    existing = current === undefined ? undefined : resource.version(current);
  }
  throw newTimeout('the object changes too fast to be updated');
}

/** The storage layer's own check; its words differ from those of the delete path. */
export function checkPreconditions(
  resource: StoredResource,
  key: string,
  existing: ObjectVersion,
  preconditions: Preconditions | undefined,
): void {
  const { uid, resourceVersion } = preconditions ?? {};
  const meta = existing.stored.metadata ?? {};
  let text = '';
  if (uid !== undefined && uid !== meta.uid) {
    text = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${meta.uid ?? ''}`;
  } else if (resourceVersion !== undefined && resourceVersion !== String(existing.revision)) {
    text = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${existing.revision}`;
  }
  if (text === '') return;
  throw newConflict(
    resource.groupResource,
    existing.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${text}`,
  );
}
