// Whether a custom resource is valid: its schema, embedded resources, lists, and the replicas its Scale would show
// (spec/apiserver.md §14.4). On update with the object as it was, whose unchanged faults are forgiven.

import { nameIsPathSegment, validateObjectMeta } from '@homeostat/api';
import {
  type FieldError,
  FieldPath,
  invalid,
  type Json,
  type KubeObject,
  type ObjectMeta,
  type StructuralSchema,
  validateStructural,
} from '@homeostat/machinery';
import { type ScalePaths, valueAt } from './scale-paths.ts';

const replicasMax = 2 ** 31 - 1;

/** Everything but metadata; `old` on update. */
export function validateCustomObject(
  object: KubeObject,
  old: KubeObject | undefined,
  schema: StructuralSchema,
  scale: ScalePaths | undefined,
): readonly FieldError[] {
  const { errors } = validateStructural(object as Json, schema, {
    ...(old === undefined ? {} : { old: old as Json }),
    validateObjectMeta: validateEmbeddedMeta,
  });
  return scale === undefined ? errors : [...errors, ...validateReplicas(object, scale)];
}

/** What the status endpoint looks at. */
export function validateCustomStatus(
  object: KubeObject,
  old: KubeObject,
  schema: StructuralSchema,
  scale: ScalePaths | undefined,
): readonly FieldError[] {
  const { status } = object as { readonly status?: Json };
  const statusSchema = schema.properties.get('status');
  const before = (old as { readonly status?: Json }).status;
  const errors =
    status === undefined || statusSchema === undefined
      ? []
      : validateStructural(status, statusSchema, {
          path: new FieldPath('status'),
          ...(before === undefined ? {} : { old: before }),
          validateObjectMeta: validateEmbeddedMeta,
        }).errors;
  return scale === undefined ? errors : [...errors, ...validateReplicas(object, scale)];
}

function validateEmbeddedMeta(meta: ObjectMeta, path: FieldPath): readonly FieldError[] {
  return validateObjectMeta(meta, { namespaced: (meta.namespace ?? '') !== '', name: nameIsPathSegment }, path);
}

function validateReplicas(object: KubeObject, scale: ScalePaths): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const path of [scale.specReplicas, scale.statusReplicas]) {
    const value = valueAt(object, path);
    if (value === undefined || value === null) continue;
    const at = new FieldPath(`.${path.join('.')}`);
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      errors.push(invalid(at, value, 'should be an integer'));
    } else if (value < 0) errors.push(invalid(at, value, 'should be a non-negative integer'));
    else if (value > replicasMax) errors.push(invalid(at, value, `should be less than or equal to ${replicasMax}`));
  }
  return errors;
}
