// The last step of a deletion: removes the key, provided nobody changed the object since it was looked at.

import { newNotFound } from '@homeostat/machinery';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { checkPreconditions, type Preconditions } from './guaranteed-update.ts';
import type { StoredResource } from './stored-resource.ts';
import { commit } from './term-guard.ts';
import type { ValidateDelete, WriteContext } from './write-context.ts';

export interface RemoveKeyRequest {
  readonly namespace: string;
  readonly name: string;
  readonly preconditions: Preconditions | undefined;
  readonly context: WriteContext;
  readonly validate?: ValidateDelete;
  /** A key that is gone already is success. */
  readonly ignoreMissing?: boolean;
}

/** Returns the last state at the revision of its deletion; undefined when it was gone. @throws ApiError */
export async function removeKey(
  resource: StoredResource,
  request: RemoveKeyRequest,
): Promise<ObjectVersion | undefined> {
  const { namespace, name, context } = request;
  const key = resource.key(namespace, name);
  let existing = await resource.current(namespace, name);
  for (;;) {
    context.signal.throwIfAborted();
    if (existing === undefined) {
      if (request.ignoreMissing === true) return undefined;
      throw newNotFound(resource.groupResource, name);
    }
    checkPreconditions(resource, key, existing, request.preconditions);
    await request.validate?.(existing.object);
    const result = await commit(resource.store, context.term, {
      compare: [{ key, modRevision: existing.revision }],
      operations: [{ type: 'delete', key }],
    });
    if (result.succeeded) {
      await resource.hooks.afterDelete?.(existing.object, { dryRun: false, signal: context.signal });
      return existing.at(result.revision);
    }
    const current = result.current[0];
    existing = current === undefined ? undefined : resource.version(current);
  }
}
