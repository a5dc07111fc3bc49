// Embedded resources say what they are: apiVersion and kind, and metadata that could be an object's
// (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta`).

import { type FieldError, FieldPath, invalid, required } from '../field-error.ts';
import { parseApiVersion } from '../meta/group-version.ts';
import type { ObjectMeta } from '../meta/object.ts';
import type { Json } from '../schema/schema.ts';
import { asList, asMap, type JsonMap } from '../values/json-shapes.ts';
import { isDns1035Label } from '../values/names.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The rules of metadata, which are those of all kinds; `@homeostat/api` has them. */
export type ValidateObjectMeta = (meta: ObjectMeta, path: FieldPath) => readonly FieldError[];

const caseText = 'may have mixed case, but should otherwise match: ';

/** Checks the embedded resources in a value; metadata must have been read into its type (coerceEmbedded()). */
export function validateEmbedded(
  value: Json,
  schema: StructuralSchema,
  validateObjectMeta: ValidateObjectMeta,
  path = new FieldPath(),
): FieldError[] {
  const errors: FieldError[] = [];
  collect(value, schema, validateObjectMeta, path, errors);
  return errors;
}

function collect(
  value: Json,
  schema: StructuralSchema,
  validateObjectMeta: ValidateObjectMeta,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!schema.has.embeddedResources || typeof value !== 'object' || value === null) return;
  const list = asList(value);
  if (list !== undefined) {
    if (schema.items === undefined) return;
    for (const [i, item] of list.entries()) collect(item, schema.items, validateObjectMeta, path.index(i), errors);
    return;
  }
  const map = value as JsonMap;
  if (schema.embeddedResource) validateResource(map, validateObjectMeta, path, errors);
  const { properties, additionalProperties } = schema;
  for (const [key, member] of Object.entries(map)) {
    const property = properties.get(key);
    if (property !== undefined) collect(member, property, validateObjectMeta, path.child(key), errors);
    else if (typeof additionalProperties === 'object') {
      collect(member, additionalProperties, validateObjectMeta, path.key(key), errors);
    }
  }
}

function validateResource(
  map: JsonMap,
  validateObjectMeta: ValidateObjectMeta,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { apiVersion, kind, metadata } = map;
  const apiVersionText = requiredText(apiVersion, path.child('apiVersion'), errors);
  const kindText = requiredText(kind, path.child('kind'), errors);
  if (apiVersionText !== undefined) validateApiVersion(apiVersionText, path.child('apiVersion'), errors);
  if (kindText !== undefined) {
    const texts = isDns1035Label(kindText.toLowerCase());
    if (texts.length > 0) errors.push(invalid(path.child('kind'), kindText, `${caseText}${texts.join(',')}`));
  }
  const meta = asMap(metadata);
  if (meta === undefined) return;
  // An embedded resource needs no name yet; the rules of a missing one are not for it.
  const named = (meta['name'] ?? '') === '' ? { ...meta, name: 'fakename' } : meta;
  errors.push(...validateObjectMeta(named as unknown as ObjectMeta, path.child('metadata')));
}

function requiredText(value: Json | undefined, path: FieldPath, errors: FieldError[]): string | undefined {
  if (value === undefined) errors.push(required(path));
  else if (typeof value !== 'string') errors.push(invalid(path, value, 'must be a string'));
  else if (value === '') errors.push(invalid(path, value, 'must not be empty'));
  else return value;
  return undefined;
}

function validateApiVersion(apiVersion: string, path: FieldPath, errors: FieldError[]): void {
  try {
    parseApiVersion(apiVersion);
  } catch (error) {
    errors.push(invalid(path, apiVersion, (error as Error).message));
  }
}
