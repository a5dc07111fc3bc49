// What a patch would make of an object, without a server: exact for JSON and merge patches, for strategic ones and server-side apply of
// built-in kinds, but for defaults and admission; fields of custom resources are applied as far as their values say what they are.

import { ApiError } from '@homeostat/base';
import { schemaOf, structByName } from '@homeostat/api';
import type { PatchKind, ResourceType } from '@homeostat/client';
import {
  applyConfiguration,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  formatTime,
  type Json,
  type JsonPatchOperation,
  type KubeObject,
  parseApiVersion,
  PatchError,
  type StructSchema,
} from '@homeostat/machinery';

export interface PretendedPatch {
  readonly resource: ResourceType;
  readonly type: PatchKind;
  readonly patch: Json | KubeObject;
  readonly fieldManager?: string | undefined;
  readonly force?: boolean | undefined;
  readonly nowMs: number;
}

type JsonMap = { readonly [key: string]: Json };

/** @throws ApiError as the server would: 409 for an apply that takes fields, 415, 422 */
export function pretendPatch(before: KubeObject, options: PretendedPatch): KubeObject {
  const { type, patch, resource } = options;
  try {
    switch (type) {
      case 'json':
        return applyJsonPatch(before as unknown as Json, patch as readonly JsonPatchOperation[]) as KubeObject;
      case 'merge':
        return applyMergePatch(before as unknown as Json, patch as Json) as KubeObject;
      case 'strategic': {
        const schema = schemaOf(resource);
        if (schema === undefined) throw unsupported();
        const patched = applyStrategicMergePatch(before as unknown as JsonMap, patch as JsonMap, schema);
        return patched as unknown as KubeObject;
      }
      case 'apply':
        return pretendApply(before, options);
    }
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    const code = error.kind === 'malformed' ? 400 : 422;
    throw new ApiError({ code, reason: code === 400 ? 'BadRequest' : 'Invalid', message: error.message });
  }
}

/** Applies a configuration to an object, or to nothing. */
export function pretendApply(before: KubeObject | undefined, options: PretendedPatch): KubeObject {
  const { resource, patch, fieldManager = 'rehearsal', force, nowMs } = options;
  const { group, version, kind } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const { object, managedFields } = applyConfiguration({
    live: before === undefined ? undefined : { ...before, apiVersion, kind },
    config: { ...(patch as KubeObject), apiVersion, kind },
    kind,
    apiVersion,
    manager: fieldManager,
    time: formatTime(nowMs),
    // Caches may leave managed fields out; then nobody knows whose fields are taken.
    force: force === true || before?.metadata?.managedFields === undefined,
    schemaFor: (of) => schemaOf({ ...parseApiVersion(of), kind }) ?? custom(),
    convert: (other, to) => ({ ...other, apiVersion: to }),
  });
  if (managedFields === undefined) return object;
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

let customSchema: StructSchema | undefined;

/** Of a kind that is not known: metadata as always, all else as its values say. */
function custom(): StructSchema {
  if (customSchema !== undefined) return customSchema;
  const known = structByName('io.k8s.api.core.v1.ConfigMap')?.fields ?? [];
  const fields = known.filter(({ name }) => ['apiVersion', 'kind', 'metadata'].includes(name));
  customSchema = {
    kind: 'struct',
    name: 'custom',
    fields,
    byName: new Map(fields.map((field) => [field.name, field])),
    additional: { kind: 'scalar', type: 'json' },
  };
  return customSchema;
}

function unsupported(): ApiError {
  const message =
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml';
  return new ApiError({ code: 415, reason: 'UnsupportedMediaType', message });
}
