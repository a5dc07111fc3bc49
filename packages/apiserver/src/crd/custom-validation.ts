// Whether a custom resource is valid: its schema, embedded resources, lists, its rules, and the replicas its Scale would
// show (spec/apiserver.md §14.4 and §14.5). On update with the object as it was, whose unchanged faults are forgiven.

import { type StrategyContext, validateEmbeddedMeta } from '@homeostat/api';
import {
  type FieldError,
  FieldPath,
  invalid,
  type Json,
  type KubeObject,
  rulesNotChecked,
  type StructuralSchema,
  validateStructural,
} from '@homeostat/machinery';
import { type ScalePaths, valueAt } from './scale-paths.ts';

const replicasMax = 2 ** 31 - 1;

/** What an object of a version is held to. */
export interface CustomRules {
  readonly schema: StructuralSchema;
  readonly scale: ScalePaths | undefined;
}

/** Everything but metadata; `old` on update. */
export function validateCustomObject(
  object: KubeObject,
  old: KubeObject | undefined,
  { schema, scale }: CustomRules,
  context: StrategyContext,
): readonly FieldError[] {
  const { errors } = validateStructural(object as Json, schema, {
    ...(old === undefined ? {} : { old: old as Json }),
    validateObjectMeta: validateEmbeddedMeta,
  });
  const all = scale === undefined ? errors : [...errors, ...validateReplicas(object, scale)];
  return [...all, ...runRules(object, old, schema, { errors, context })];
}

/** What the status endpoint looks at: not embedded resources. */
export function validateCustomStatus(
  object: KubeObject,
  old: KubeObject,
  { schema, scale }: CustomRules,
  context: StrategyContext,
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
        }).errors;
  const all = scale === undefined ? errors : [...errors, ...validateReplicas(object, scale)];
  return [...all, ...runRules(object, old, schema, { errors, context })];
}

/** Rules look at the whole object, and only at one whose shape is right. What they forgive on update is told as a warning. */
function runRules(
  object: KubeObject,
  old: KubeObject | undefined,
  schema: StructuralSchema,
  { errors, context }: { readonly errors: readonly FieldError[]; readonly context: StrategyContext },
): readonly FieldError[] {
  if (!schema.has.rules || context.cel === undefined) return [];
  const skipped = rulesNotChecked(errors);
  if (skipped !== undefined) return [skipped];
  const result = context.cel.validateRules(object as Json, old as Json | undefined, schema);
  for (const { field, body } of result.ratcheted) context.addWarning?.(`${field}: ${body}`);
  return result.errors;
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
