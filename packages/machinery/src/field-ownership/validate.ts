// Whether an applied configuration fits its type: fields it declares, shapes, keys of list items, no duplicates.
// Not validation of the object: only what ownership needs to be sure of. Messages are upstream's.

import type { Json } from '../schema/schema.ts';
import { asList, asMap } from '../values/json-shapes.ts';
import { atomKind, type FieldType, type ListType, type MapType, type ScalarKind } from './field-type.ts';
import { goPlain, goSyntax, goType } from '../values/go-format.ts';
import { FieldTypeError, itemElement } from './item-element.ts';
import { printElement } from './path-element.ts';

/** @throws FieldTypeError with all that does not fit */
export function assertFits(type: FieldType, value: Json): void {
  const errors: string[] = [];
  check(type, value, '', errors);
  const [first, ...others] = errors;
  if (first === undefined) return;
  throw new FieldTypeError(others.length === 0 ? first : `errors:\n${errors.map((error) => `  ${error}`).join('\n')}`);
}

function check(type: FieldType, value: Json, path: string, errors: string[]): void {
  switch (atomKind(type, value)) {
    case 'scalar': {
      const problem = scalarProblem(type.scalar ?? 'untyped', value);
      if (problem !== undefined) errors.push(at(path, problem));
      return;
    }
    case 'map':
      if (type.map !== undefined) checkMap(type.map, value, path, errors);
      return;
    case 'list':
      if (type.list !== undefined) checkList(type.list, value, path, errors);
  }
}

function checkMap(type: MapType, value: Json, path: string, errors: string[]): void {
  if (value === null) return;
  const map = asMap(value);
  if (map === undefined) {
    errors.push(at(path, `expected map, got &{${goPlain(value)}}`));
    return;
  }
  for (const key of Object.keys(map)) {
    const below = map[key];
    if (below === undefined) continue;
    const fieldType = type.typeOf(key);
    if (fieldType === undefined) {
      errors.push(at(`${path}.${key}`, 'field not declared in schema'));
      return;
    }
    check(fieldType, below, `${path}.${key}`, errors);
  }
}

function checkList(type: ListType, value: Json, path: string, errors: string[]): void {
  if (value === null) return;
  const list = asList(value);
  if (list === undefined) {
    errors.push(at(path, `expected list, got &{${goPlain(value)}}`));
    return;
  }
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    let element: string;
    try {
      element = type.atomic ? `i:${index}` : itemElement(type, item);
    } catch (error) {
      if (!(error instanceof FieldTypeError)) throw error;
      errors.push(at(path, `element ${index}: ${error.message}`));
      return;
    }
    if (seen.has(element)) errors.push(at(path, `duplicate entries for key ${printElement(element)}`));
    seen.add(element);
    check(type.items, item, path + printElement(element), errors);
  }
}

function scalarProblem(kind: ScalarKind, value: Json): string | undefined {
  if (value === null) return undefined;
  switch (kind) {
    case 'numeric':
      return isNumber(value) ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goPlain(value)}}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got &{${goPlain(value)}}` : undefined;
  }
}

function isNumber(value: Json): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

function at(path: string, message: string): string {
  return path === '' ? message : `${path}: ${message}`;
}
