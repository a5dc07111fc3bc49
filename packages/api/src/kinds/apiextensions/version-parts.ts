// What versions of a CustomResourceDefinition say of their resources: schema, subresources, printer columns, selectable
// fields.

import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  JSONSchemaProps,
  SelectableField,
} from '@homeostat/api/types/apiextensions-v1';
import {
  compileStructural,
  duplicate,
  type FieldError,
  type FieldPath,
  FieldPathError,
  invalid,
  required,
  type ResolvedFieldPath,
  resolveFieldPath,
  type StructuralSchema,
  tooMany,
} from '@homeostat/machinery';
import type { VersionParts } from './hoisted-spec.ts';
import { type PartRules, validateVersionSchema } from './version-schema.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const selectableTypes = ['string', 'boolean', 'integer'];
const selectableMax = 8;

export function validateVersionParts(
  parts: VersionParts,
  path: FieldPath,
  rules: PartRules,
  errors: FieldError[],
): void {
  const schema = parts.schema?.openAPIV3Schema;
  if (schema !== undefined) {
    validateVersionSchema(schema, path.child(rules.schemaField, 'openAPIV3Schema'), rules, errors);
  }
  validateSubresources(parts.subresources, path.child('subresources'), errors);
  for (const [index, column] of (parts.additionalPrinterColumns ?? []).entries()) {
    validateColumn(column, path.child('additionalPrinterColumns').index(index), errors);
  }
  validateSelectableFields(
    parts.selectableFields ?? [],
    schema ?? rules.schema,
    path.child('selectableFields'),
    errors,
  );
}

function validateSubresources(
  subresources: CustomResourceSubresources | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const scale = subresources?.scale;
  if (scale === undefined) return;
  const at = path.child('scale');
  for (const [field, root] of [
    ['specReplicasPath', '.spec'],
    ['statusReplicasPath', '.status'],
  ] as const) {
    const text = scale[field] ?? '';
    if (text === '') errors.push(required(at.child(field)));
    else validatePathUnder(text, [root], `should be a json path under ${root}`, at.child(field), errors);
  }
  const selector = scale.labelSelectorPath ?? '';
  if (selector === '') return;
  const text = 'should be a json path under either .spec or .status';
  validatePathUnder(selector, ['.status', '.spec'], text, at.child('labelSelectorPath'), errors);
}

function validatePathUnder(
  text: string,
  roots: readonly string[],
  message: string,
  path: FieldPath,
  errors: FieldError[],
): void {
  const before = errors.length;
  validateSimplePath(text, path, errors);
  if (errors.length > before) return;
  if (!roots.some((root) => text.startsWith(`${root}.`))) errors.push(invalid(path, text, message));
}

function validateSimplePath(text: string, path: FieldPath, errors: FieldError[]): void {
  if (text === '') errors.push(invalid(path, text, 'must not be empty'));
  else if (!text.startsWith('.')) errors.push(invalid(path, text, 'must be a simple json path starting with .'));
}

function validateColumn(column: CustomResourceColumnDefinition, path: FieldPath, errors: FieldError[]): void {
  const { name = '', type = '', format = '', jsonPath = '' } = column;
  const types = `must be one of ${columnTypes.join(',')}`;
  if (name === '') errors.push(required(path.child('name')));
  if (type === '') errors.push(required(path.child('type'), types));
  else if (!columnTypes.includes(type)) errors.push(invalid(path.child('type'), type, types));
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalid(path.child('format'), format, `must be one of ${columnFormats.join(',')}`));
  }
  // The spelling is upstream's.
  if (jsonPath === '') errors.push(required(path.child('JSONPath')));
  else validateSimplePath(jsonPath, path.child('JSONPath'), errors);
}

function validateSelectableFields(
  fields: readonly SelectableField[],
  schema: JSONSchemaProps | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (fields.length === 0 || schema === undefined) return;
  const root = compileStructural(schema);
  const seen = new Set<string>();
  for (const [index, { jsonPath = '' }] of fields.entries()) {
    const at = path.index(index).child('jsonPath');
    if (jsonPath === '') {
      errors.push(required(at));
      continue;
    }
    const found = resolve(jsonPath, root);
    if (found instanceof FieldPathError) {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${found.message}`));
      continue;
    }
    if (found.names[0] === 'metadata') errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    if (!selectableTypes.includes(found.schema.type)) {
      const text =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalid(at, jsonPath, text));
    }
    if (seen.has(String(found.path))) errors.push(duplicate(at, jsonPath));
    seen.add(String(found.path));
  }
  if (seen.size > selectableMax) errors.push(tooMany(path, seen.size, selectableMax));
}

function resolve(jsonPath: string, root: StructuralSchema): ResolvedFieldPath | FieldPathError {
  try {
    return resolveFieldPath(jsonPath, root, { brackets: false });
  } catch (error) {
    if (error instanceof FieldPathError) return error;
    throw error;
  }
}
