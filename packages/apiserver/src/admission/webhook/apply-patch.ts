// Applies what a mutating webhook answered to the object it was shown.

import {
  applyJsonPatch,
  decodeBase64,
  decodeJson,
  decodeJsonPatch,
  deepEqual,
  type GroupVersionKind,
  type Json,
  type JsonPatchOperation,
  newInternalError,
} from '@homeostat/machinery';
import type { VersionedObjects } from './versioned-objects.ts';

/** The operations of a patch in base64; empty when it changes nothing. @throws ApiError 500 */
export function readPatch(patch: string): readonly JsonPatchOperation[] {
  if (patch === '') return [];
  try {
    return decodeJsonPatch(decodeJson(decodeBase64(patch)), false);
  } catch (error) {
    throw newInternalError(error);
  }
}

/** Whether the object differs afterwards. @throws ApiError 500 for a patch that does not fit */
export function patchObject(
  operations: readonly JsonPatchOperation[],
  {
    webhook,
    kind,
    objects,
  }: { readonly webhook: string; readonly kind: GroupVersionKind; readonly objects: VersionedObjects },
): boolean {
  const before = objects.object(kind);
  if (before === undefined) {
    const text = `admission webhook ${JSON.stringify(webhook)} attempted to modify the object, which is not supported for this operation`;
    throw newInternalError(new Error(text));
  }
  try {
    const patched = applyJsonPatch(before as unknown as Json, operations);
    objects.replace(objects.read(patched, kind), kind);
  } catch (error) {
    throw newInternalError(error);
  }
  return !deepEqual(before, objects.object(kind));
}
