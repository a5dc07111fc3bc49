// `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type`: where they may stand, and that the keys
// of a list of type map are there and tell its items apart.

import { type FieldError, type FieldPath, forbidden, invalid, notSupported, required } from '../field-error.ts';
import { asList, asMap, getOwn, type JsonMap } from '../values/json-shapes.ts';
import { emptyNode, isSet, textOf } from './schema-node.ts';

const listTypeName = 'x-kubernetes-list-type';
const keysName = 'x-kubernetes-list-map-keys';
const mapTypeName = 'x-kubernetes-map-type';

export interface ListTypeOptions {
  readonly atomicSets: boolean;
  readonly presentKeys: boolean;
}

export function checkMapType(node: JsonMap, path: FieldPath, errors: FieldError[]): void {
  const mapType = node[mapTypeName];
  if (typeof mapType !== 'string') return;
  checkCarrier(node, 'object', mapTypeName, path, errors);
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(path.child(mapTypeName), mapType, ['atomic', 'granular']));
  }
}

export function checkListType(node: JsonMap, path: FieldPath, options: ListTypeOptions, errors: FieldError[]): void {
  const listType = node[listTypeName];
  const keys = asList(node[keysName]) ?? [];
  if (typeof listType === 'string') {
    const isArray = checkCarrier(node, 'array', listTypeName, path, errors);
    if (isArray && options.atomicSets && listType === 'set') checkSetItems(node, path.child('items'), errors);
    if (!['atomic', 'set', 'map'].includes(listType)) {
      errors.push(notSupported(path.child(listTypeName), listType, ['atomic', 'set', 'map']));
    }
  }
  if (keys.length > 0 && listType !== 'map') {
    const text = `must be map if ${keysName} is non-empty`;
    const at = path.child(listTypeName);
    errors.push(typeof listType === 'string' ? invalid(at, listType, text) : required(at, text));
  }
  if (listType === 'map') checkKeys(node, keys, path, errors);
  if (options.presentKeys && (listType === 'set' || listType === 'map')) {
    checkPresence(node, listType, keys, path.child('items'), errors);
  }
}

/** The type that an extension belongs to. */
function checkCarrier(node: JsonMap, wanted: string, name: string, path: FieldPath, errors: FieldError[]): boolean {
  const type = textOf(node['type']);
  if (type === wanted) return true;
  const text = `must be ${wanted} if ${name} is specified`;
  errors.push(type === '' ? required(path.child('type'), text) : invalid(path.child('type'), type, text));
  return false;
}

/** Whether the items of a set are what one owner owns. */
export function hasAtomicItems(node: JsonMap): boolean {
  const items = asMap(node['items']) ?? emptyNode;
  if (items['type'] === 'array') return (items[listTypeName] ?? 'atomic') === 'atomic';
  return items['type'] !== 'object' || items[mapTypeName] === 'atomic';
}

function checkSetItems(node: JsonMap, path: FieldPath, errors: FieldError[]): void {
  if (hasAtomicItems(node)) return;
  const items = asMap(node['items']) ?? emptyNode;
  const at = path.child(items['type'] === 'array' ? listTypeName : mapTypeName);
  // Upstream shows the list type for both.
  const shown = items[listTypeName] ?? null;
  errors.push(invalid(at, shown, `must be atomic as item of a list with ${listTypeName}=set`));
}

function checkKeys(node: JsonMap, keys: readonly unknown[], path: FieldPath, errors: FieldError[]): void {
  const at = path.child(keysName);
  const items = asMap(node['items']);
  if (keys.length === 0) errors.push(required(at, `must not be empty if ${listTypeName} is map`));
  if (items === undefined) {
    if (asList(node['items']) === undefined) {
      errors.push(required(path.child('items'), `must have a schema if ${listTypeName} is map`));
    } else {
      const text = `must only have a single schema if ${listTypeName} is map`;
      errors.push(invalid(path.child('items'), node['items'], text));
    }
    return;
  }
  const type = textOf(items['type']);
  if (type !== 'object') {
    const text = `must be object if parent array's ${listTypeName} is map`;
    errors.push(invalid(path.child('items', 'type'), type, text));
    return;
  }
  const properties = asMap(items['properties']) ?? emptyNode;
  const seen = new Set<unknown>();
  for (const key of keys) {
    const property = asMap(getOwn(properties, String(key)));
    if (property === undefined) errors.push(invalid(at, keys, 'entries must all be names of item properties'));
    else if (property['type'] === 'array' || property['type'] === 'object') {
      const text = `must be a scalar type if parent array's ${listTypeName} is map`;
      errors.push(invalid(path.child('items', 'properties').key(String(key)).child('type'), type, text));
    }
    if (seen.has(key)) errors.push(invalid(at, keys, 'must not contain duplicate entries'));
    seen.add(key);
  }
}

/** Whether a key of a list of type map may be missing or null. */
function checkPresence(
  node: JsonMap,
  listType: string,
  keys: readonly unknown[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const items = asMap(node['items']);
  if (items === undefined) return;
  if (isSet(items['nullable'])) {
    errors.push(forbidden(path.child('nullable'), `cannot be nullable when ${listTypeName} is ${listType}`));
  }
  if (listType !== 'map') return;
  const properties = asMap(items['properties']) ?? emptyNode;
  const requiredNames = new Set<unknown>(asList(items['required']) ?? []);
  for (const key of keys) {
    const property = asMap(getOwn(properties, String(key)));
    if (property === undefined) continue;
    const at = path.child('properties').key(String(key));
    const what = `this property is in ${keysName}, so it`;
    if (!requiredNames.has(key) && (property['default'] ?? undefined) === undefined) {
      errors.push(required(at.child('default'), `${what} must have a default or be a required property`));
    }
    if (isSet(property['nullable'])) errors.push(forbidden(at.child('nullable'), `${what} cannot be nullable`));
  }
}
