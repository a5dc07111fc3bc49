// What keeps a schema from being structural: a type everywhere, nothing about metadata, and inside of allOf, anyOf, oneOf and
// not nothing but restrictions of values (spec/apiserver.md §14.3). Works on the JSON as written, before it is compiled.

import { type FieldError, type FieldPath, forbidden, invalid, required } from '../field-error.ts';
import type { Json } from '../schema/schema.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { asList, asMap, getOwn, type JsonMap } from '../values/json-shapes.ts';
import { compilePattern, PatternError } from './pattern.ts';
import { emptyNode, isSet, textOf, type Where } from './schema-node.ts';

const intOrString: Json = [{ type: 'integer' }, { type: 'string' }];
const embedded = 'x-kubernetes-embedded-resource';
const preserve = 'x-kubernetes-preserve-unknown-fields';
const emptyTexts: Readonly<Record<Where, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/**
 * The violations of the structural rules, sorted by their texts. Joined (aggregateFieldErrors) they are the message of the
 * condition NonStructuralSchema.
 */
export function structuralErrors(schema: JsonMap, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  checkNode(schema, 'root', path, errors);
  return errors.sort((a, b) => compareBytewise(`${a.field}: ${a.body}`, `${b.field}: ${b.body}`));
}

function checkNode(node: JsonMap, where: Where, path: FieldPath, errors: FieldError[]): void {
  const type = textOf(node['type']);
  const items = asMap(node['items']);
  if (type === 'array' && items === undefined) errors.push(required(path.child('items'), 'must be specified'));
  if (items !== undefined) checkNode(items, 'item', path.child('items'), errors);
  const properties = asMap(node['properties']) ?? emptyNode;
  for (const [name, property] of Object.entries(properties)) {
    checkNode(asMap(property) ?? emptyNode, 'field', path.child('properties').key(name), errors);
  }
  const additional = node['additionalProperties'] ?? undefined;
  const additionalPath = path.child('additionalProperties');
  if (additional !== undefined) {
    if (where === 'root') errors.push(forbidden(additionalPath, 'must not be used at the root'));
    if (asMap(additional) !== undefined) checkNode(additional as JsonMap, 'field', additionalPath, errors);
  }
  checkExtensions(node, path, errors);
  checkValueValidation(node, node, path, errors);
  checkType(node, type, where, path, errors);
  if (isSet(node[embedded]) && additional !== undefined) {
    errors.push(forbidden(additionalPath, `must not be used if ${embedded} is set`));
  }
  checkMetaFields(node, properties, where, path.child('properties'), errors);
  if (isSet(node[embedded]) && !isSet(node[preserve]) && Object.keys(properties).length === 0) {
    errors.push(required(path.child('properties'), `must not be empty if ${embedded} is true without ${preserve}`));
  }
}

function checkType(node: JsonMap, type: string, where: Where, path: FieldPath, errors: FieldError[]): void {
  const at = path.child('type');
  if (isSet(node[embedded]) && type !== 'object') {
    const text = `must be object if ${embedded} is true`;
    errors.push(type === '' ? required(at, text) : invalid(at, type, text));
  } else if (type === '' && !isSet(node['x-kubernetes-int-or-string']) && !isSet(node[preserve])) {
    errors.push(required(at, emptyTexts[where]));
  }
  if (where === 'root' && type !== '' && type !== 'object')
    errors.push(invalid(at, type, 'must be object at the root'));
}

function checkExtensions(node: JsonMap, path: FieldPath, errors: FieldError[]): void {
  if (!isSet(node['x-kubernetes-int-or-string'])) return;
  const text = 'must be false if x-kubernetes-int-or-string is true';
  for (const name of [preserve, embedded]) if (isSet(node[name])) errors.push(invalid(path.child(name), true, text));
}

/** At the root and in embedded resources, apiVersion, kind and metadata are what they are. */
function checkMetaFields(
  node: JsonMap,
  properties: JsonMap,
  where: Where,
  path: FieldPath,
  errors: FieldError[],
): void {
  const isResource = where === 'root' || isSet(node[embedded]);
  for (const name of isResource ? ['kind', 'apiVersion'] : []) {
    const property = asMap(getOwn(properties, name));
    const type = textOf(property?.['type']);
    if (property !== undefined && type !== 'string') {
      errors.push(invalid(path.key(name).child('type'), type, 'must be string'));
    }
  }
  const metadata = asMap(getOwn(properties, 'metadata'));
  if (metadata === undefined) return;
  const type = textOf(metadata['type']);
  const at = path.key('metadata');
  if (isResource && type !== 'object') errors.push(invalid(at.child('type'), type, 'must be object'));
  if (where === 'root' && !restrictsNameAlone(metadata)) {
    const text = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(at, text));
  }
}

function restrictsNameAlone(metadata: JsonMap): boolean {
  const { type: _type, default: _default, properties, ...rest } = metadata;
  const names = Object.keys(asMap(properties) ?? emptyNode);
  const isName = names.every((name) => name === 'name' || name === 'generateName');
  return isName && Object.values(rest).every(isEmpty);
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  const list = asList(value);
  return list !== undefined && list.length === 0;
}

/**
 * @param structure - the node whose type may be given as anyOf of integer and string; undefined inside of junctors
 */
function checkValueValidation(
  node: JsonMap,
  structure: JsonMap | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const skipsAnyOf = structure !== undefined && deepEqual(node['anyOf'], intOrString);
  if (!skipsAnyOf) checkNestedList(node['anyOf'], path.child('anyOf'), errors);
  for (const [i, clause] of (asList(node['allOf']) ?? []).entries()) {
    const map = asMap(clause) ?? emptyNode;
    const mayBeFirst = structure !== undefined && i === 0 && deepEqual(map['anyOf'], intOrString);
    checkNested(map, path.child('allOf').index(i), errors, mayBeFirst);
  }
  checkNestedList(node['oneOf'], path.child('oneOf'), errors);
  const not = asMap(node['not']);
  if (not !== undefined) checkNested(not, path.child('not'), errors);
  checkPattern(textOf(node['pattern']), path.child('pattern'), errors);
}

function checkPattern(pattern: string, path: FieldPath, errors: FieldError[]): void {
  if (pattern === '') return;
  try {
    compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    errors.push(invalid(path, pattern, `must be a valid regular expression, but isn't: ${error.message}`));
  }
}

function checkNestedList(value: Json | undefined, path: FieldPath, errors: FieldError[]): void {
  for (const [i, clause] of (asList(value) ?? []).entries()) {
    checkNested(asMap(clause) ?? emptyNode, path.index(i), errors);
  }
}

const mustBeEmpty = 'must be empty to be structural';
const mustBeFalse = 'must be false to be structural';
const mustBeUndefined = 'must be undefined to be structural';
/** What may not stand inside of a junctor, in the words that forbid it. */
const forbiddenInside: Readonly<Record<string, string>> = {
  type: mustBeEmpty,
  additionalProperties: mustBeUndefined,
  default: mustBeUndefined,
  title: mustBeEmpty,
  description: mustBeEmpty,
  nullable: mustBeFalse,
  [preserve]: mustBeFalse,
  [embedded]: mustBeFalse,
  'x-kubernetes-int-or-string': mustBeFalse,
  'x-kubernetes-list-map-keys': mustBeEmpty,
  'x-kubernetes-list-type': mustBeUndefined,
  'x-kubernetes-map-type': mustBeUndefined,
  'x-kubernetes-validations': mustBeEmpty,
};

/** A clause of allOf, anyOf, oneOf or not, and what is below it. */
function checkNested(node: JsonMap, path: FieldPath, errors: FieldError[], skipsAnyOf = false): void {
  checkValueValidation(skipsAnyOf ? { ...node, anyOf: [] } : node, undefined, path, errors);
  const items = asMap(node['items']);
  if (items !== undefined) checkNested(items, path.child('items'), errors);
  const properties = asMap(node['properties']) ?? emptyNode;
  for (const [name, property] of Object.entries(properties)) {
    checkNested(asMap(property) ?? emptyNode, path.child('properties').key(name), errors);
  }
  for (const [name, text] of Object.entries(forbiddenInside)) {
    const value = node[name];
    const isThere = text === mustBeUndefined ? value !== undefined && value !== null : !isEmpty(value);
    if (isThere) errors.push(forbidden(path.child(name), text));
  }
  if (getOwn(properties, 'metadata') !== undefined) {
    errors.push(forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context'));
  }
}
