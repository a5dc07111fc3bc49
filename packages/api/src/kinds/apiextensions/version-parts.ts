// Subresources, printer columns and selectable fields of custom resources. Whether paths lead to something the schema
// knows is checked with the schema.

import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  SelectableField,
} from '@homeostat/api/types/apiextensions-v1';
import { duplicate, type FieldError, type FieldPath, invalid, required, tooMany } from '@homeostat/machinery';
import type { VersionParts } from './hoisted-spec.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const selectableMax = 8;

export function validateVersionParts(parts: VersionParts, path: FieldPath, errors: FieldError[]): void {
  validateSubresources(parts.subresources, path.child('subresources'), errors);
  for (const [index, column] of (parts.additionalPrinterColumns ?? []).entries()) {
    validateColumn(column, path.child('additionalPrinterColumns').index(index), errors);
  }
  validateSelectableFields(parts.selectableFields ?? [], path.child('selectableFields'), errors);
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
  const text = 'should be a json path under either .status or .spec';
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

function validateSelectableFields(fields: readonly SelectableField[], path: FieldPath, errors: FieldError[]): void {
  for (const [index, { jsonPath = '' }] of fields.entries()) {
    const at = path.index(index).child('jsonPath');
    if (jsonPath === '') errors.push(required(at));
    else if (/^\.metadata(?:\.|$)/.test(jsonPath))
      errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    else if (fields.findIndex((other) => other.jsonPath === jsonPath) < index) errors.push(duplicate(at, jsonPath));
  }
  if (fields.length > selectableMax) errors.push(tooMany(path, fields.length, selectableMax));
}
