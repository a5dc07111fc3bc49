// Validation of a custom resource against its schema, in upstream's order: the OpenAPI schema, embedded resources,
// uniqueness in lists; then its rules, unless what they would look at is broken (spec/apiserver.md §14.4 and §14.6).

import { type FieldError, type FieldErrorType, FieldPath, invalid } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { Findings } from './findings.ts';
import { validateUniqueness } from './list-uniqueness.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { validateEmbedded, type ValidateObjectMeta } from './validate-embedded.ts';
import { checkCorrelated } from './validate-value.ts';

export interface ValidateStructuralOptions {
  /** Where the value is; absent for a whole object. */
  readonly path?: FieldPath;
  /** The stored object, on update: what was wrong there already is forgiven while it does not change. */
  readonly old?: Json;
  /** Rules of embedded metadata; absent: embedded resources are not looked into. */
  readonly validateObjectMeta?: ValidateObjectMeta;
}

export interface ValidateStructuralResult {
  readonly errors: readonly FieldError[];
}

/**
 * What is wrong with a value. It must have been pruned, coerced and defaulted. Never throws, whatever the value is; time is
 * linear in its size.
 */
export function validateStructural(
  value: Json,
  schema: StructuralSchema,
  options: ValidateStructuralOptions = {},
): ValidateStructuralResult {
  const { path, old, validateObjectMeta } = options;
  const errors = [...validateOpenApi(value, schema, path, old)];
  if (validateObjectMeta !== undefined) errors.push(...validateEmbedded(value, schema, validateObjectMeta, path));
  const wasUnique = old === undefined || validateUniqueness(old, schema, path).length === 0;
  if (wasUnique) errors.push(...validateUniqueness(value, schema, path));
  return { errors };
}

/** The OpenAPI part alone. */
export function validateOpenApi(
  value: Json,
  schema: StructuralSchema,
  path?: FieldPath,
  old?: Json,
): readonly FieldError[] {
  const findings = new Findings(path);
  checkCorrelated(value, schema, old, findings);
  return findings.errors;
}

const blocking: ReadonlySet<FieldErrorType> = new Set([
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/**
 * What is reported instead of running the rules (`x-kubernetes-validations`) on an object whose shape is wrong; undefined
 * when the rules may run.
 */
export function rulesNotChecked(errors: readonly FieldError[]): FieldError | undefined {
  if (!errors.some(({ type }) => blocking.has(type))) return undefined;
  const text =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return invalid(new FieldPath('<nil>'), null, text);
}
