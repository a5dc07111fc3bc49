// A broken rule as a field error: its reason decides the type, its field path the place. Objects and lists are not shown.

import { duplicate, type FieldError, FieldPath, forbidden, invalid, required } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { resolveFieldPath } from './resolve-field-path.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface RuleFailure {
  readonly text: string;
  readonly reason?: string | undefined;
  /** Relative to the node, such as `.max`; needs `schema`. */
  readonly fieldPath?: string | undefined;
  readonly schema?: StructuralSchema;
}

/**
 * @param path - of the node; undefined at the root of an object
 * @param shown - the value shown: a scalar, the name of the node's type, or nothing
 */
export function ruleError(
  path: FieldPath | undefined,
  shown: string | { readonly value: Json } | undefined,
  failure: RuleFailure,
): FieldError {
  const at = placeOf(path, failure);
  const { text } = failure;
  switch (failure.reason) {
    case 'FieldValueForbidden':
      return forbidden(at, text);
    case 'FieldValueRequired':
      return required(at, text);
    case 'FieldValueDuplicate':
      return typeof shown === 'object'
        ? duplicate(at, shown.value)
        : { type: 'FieldValueDuplicate', field: String(at), body: 'Duplicate value' };
    default:
      if (shown === undefined) return { type: 'FieldValueInvalid', field: String(at), body: `Invalid value: ${text}` };
      return invalid(at, typeof shown === 'object' ? shown.value : shown, text);
  }
}

function placeOf(path: FieldPath | undefined, { fieldPath, schema }: RuleFailure): FieldPath {
  if (fieldPath === undefined || fieldPath === '' || schema === undefined) return path ?? new FieldPath('<nil>');
  const below = String(resolveFieldPath(fieldPath, schema).path);
  if (path === undefined) return new FieldPath(below);
  return below.startsWith('[') ? new FieldPath(`${String(path)}${below}`) : path.child(below);
}
