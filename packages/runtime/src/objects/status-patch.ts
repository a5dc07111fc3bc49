// Writing status: only what differs, on the status subresource, against the version that was read.

import { createMergePatch, type Json, type KubeObject } from '@homeostat/machinery';
import type { Client, ResourceType } from '@homeostat/client';

export interface StatusPatchOptions<T extends KubeObject> {
  readonly resource: ResourceType<T>;
  /** As it was read. */
  readonly object: T;
  /** The whole status as it should be; fields it lacks are removed. */
  readonly status: StatusOf<T>;
  /** Refused with a conflict when somebody else wrote since; default true. False: the last writer of a field wins. */
  readonly optimisticLock?: boolean;
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
}

type StatusOf<T> = T extends { readonly status?: infer S } ? Exclude<S, undefined> : Json;

/**
 * Brings the status to what is wanted by a merge patch; the object as it is then. Nothing is sent, and the same object comes back, when it is so.
 * The patch holds the object's uid, so that a recreated object of the name is never written to.
 * @throws ApiError Conflict when the object was written, or recreated, since it was read.
 */
export async function patchStatus<T extends KubeObject>(client: Client, options: StatusPatchOptions<T>): Promise<T> {
  const { resource, object, status, optimisticLock = true, fieldManager, signal } = options;
  const { namespace, name = '', uid, resourceVersion } = object.metadata ?? {};
  const before = (object as { readonly status?: unknown }).status ?? {};
  const changes = createMergePatch(
    before as { readonly [key: string]: Json },
    status as { readonly [key: string]: Json },
  );
  if (Object.keys(changes).length === 0) return object;
  return client.patch(resource, {
    namespace,
    name,
    type: 'merge',
    subresource: 'status',
    patch: {
      metadata: {
        ...(uid === undefined ? {} : { uid }),
        ...(optimisticLock && resourceVersion !== undefined ? { resourceVersion } : {}),
      },
      status: changes,
    },
    ...(fieldManager === undefined ? {} : { fieldManager }),
    ...(signal === undefined ? {} : { signal }),
  });
}
