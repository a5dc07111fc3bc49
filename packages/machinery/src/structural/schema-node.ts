// Reading nodes of `openAPIV3Schema` as JSON.

import type { Json } from '../schema/schema.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { asList, asMap, type JsonMap } from '../values/json-shapes.ts';

/** Where a node stands in its parent. */
export type Where = 'root' | 'item' | 'field';

export const emptyNode: JsonMap = {};

/** The text, empty where there is none. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Whether a keyword is true. */
export function isSet(value: Json | undefined): boolean {
  return value === true;
}

/** The properties of a node, in the order of their names. */
export function propertiesOf(node: JsonMap): readonly (readonly [string, JsonMap])[] {
  return Object.entries(asMap(node['properties']) ?? emptyNode)
    .map(([name, property]) => [name, asMap(property) ?? emptyNode] as const)
    .sort(([a], [b]) => compareBytewise(a, b));
}

/** The clauses of allOf, anyOf or oneOf. */
export function clausesOf(value: Json | undefined): readonly JsonMap[] {
  return (asList(value) ?? []).map((clause) => asMap(clause) ?? emptyNode);
}

const unsupported = ['id', '$schema', '$ref'] as const;
const unsupportedMaps = ['patternProperties', 'dependencies', 'definitions'] as const;

/** Whether a node or one below it says what a structural schema has no place for, so that nothing else can be said of it. */
export function isUnreadable(node: JsonMap): boolean {
  if (unsupported.some((name) => textOf(node[name]) !== '')) return true;
  if (unsupportedMaps.some((name) => Object.keys(asMap(node[name]) ?? emptyNode).length > 0)) return true;
  if ((node['additionalItems'] ?? undefined) !== undefined || node['x-kubernetes-preserve-unknown-fields'] === false) {
    return true;
  }
  if (Array.isArray(node['items']) && node['items'].length > 0) return true;
  return childrenOf(node).some(isUnreadable);
}

/** Whether something holds for a node or for one below it, junctors included. */
export function hasNode(node: JsonMap, predicate: (node: JsonMap) => boolean): boolean {
  return predicate(node) || childrenOf(node).some((child) => hasNode(child, predicate));
}

function childrenOf(node: JsonMap): readonly JsonMap[] {
  const single = [node['items'], node['additionalProperties'], node['not']]
    .map(asMap)
    .filter((child) => child !== undefined);
  return [
    ...single,
    ...propertiesOf(node).map(([, property]) => property),
    ...['allOf', 'anyOf', 'oneOf'].flatMap((name) => clausesOf(node[name])),
  ];
}
