// A desired child and the child as it is: when they differ, and the patch that makes the one of the other. The digest of what was desired
// last stands in an annotation, so that a field that is no longer desired is noticed. Pure.

import {
  compareBytewise,
  createMergePatch,
  deepEqual,
  fnv32,
  fnv32a,
  type Json,
  type KubeObject,
} from '@homeostat/machinery';
import type { ResourceType } from '@homeostat/client';
import type { DesiredChild } from './children-definition.ts';

/** Holds the digest of what was desired when the child was written last. */
export const desiredDigestAnnotation = 'homeostat.dev/desired-digest';
/** With the method `merge`: what was desired, as JSON. */
export const lastDesiredAnnotation = 'homeostat.dev/last-desired';

type JsonMap = { readonly [key: string]: Json };

/** Names a desired child; the object's type is checked against the resource's. */
export function desired<T extends KubeObject>(resource: ResourceType<T>, object: T): DesiredChild<T> {
  return { resource, object };
}

/** What is sent for a desired child: with type, digest, and for `merge` with itself. */
export function withDigest(object: KubeObject, method: 'apply' | 'merge'): KubeObject {
  const annotations = {
    ...object.metadata?.annotations,
    [desiredDigestAnnotation]: digestOf(object),
    ...(method === 'merge' ? { [lastDesiredAnnotation]: sortedJson(object as unknown as Json) } : {}),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Whether a child was made of this wish, whatever others have changed since. */
export function isOfWish(child: KubeObject, wanted: KubeObject): boolean {
  return child.metadata?.annotations?.[desiredDigestAnnotation] === digestOf(wanted);
}

/** Whether a child is as it is desired: made of the same wish, and none of its wished fields changed by others since. */
export function isAsDesired(child: KubeObject, wanted: KubeObject): boolean {
  if (!isOfWish(child, wanted)) return false;
  const { apiVersion: _apiVersion, kind: _kind, ...fields } = wanted;
  return contains(child as unknown as Json, fields as unknown as Json);
}

/** The merge patch from a child to what is desired: fields desired last and no longer are removed, others' fields stay. */
export function mergePatchOf(child: KubeObject, wanted: KubeObject): JsonMap {
  const patch = dropTypes(withDigest(wanted, 'merge'));
  const last = lastDesired(child);
  return last === undefined ? patch : (joined(removals(dropTypes(last), dropTypes(wanted)), patch) as JsonMap);
}

function lastDesired(child: KubeObject): KubeObject | undefined {
  const text = child.metadata?.annotations?.[lastDesiredAnnotation];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as KubeObject;
  } catch {
    // Somebody spoiled the annotation: nothing is known to be removed.
    return undefined;
  }
}

/** Those parts of a merge patch that remove. */
function removals(last: JsonMap, wanted: JsonMap): Json {
  const keep = (patch: Json): Json | undefined => {
    if (patch === null) return null;
    if (!isMap(patch)) return undefined;
    const kept: [string, Json][] = [];
    for (const [key, value] of Object.entries(patch)) {
      const below = keep(value);
      if (below !== undefined) kept.push([key, below]);
    }
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
  return keep(createMergePatch(last, wanted)) ?? {};
}

function joined(below: Json, above: Json): Json {
  if (!isMap(below) || !isMap(above)) return above;
  const all: { [key: string]: Json } = { ...below };
  for (const [key, value] of Object.entries(above)) all[key] = key in below ? joined(below[key] ?? null, value) : value;
  return all;
}

/** Lists must have the length and the order of the wish; in their maps, as everywhere, more fields are fine: defaults. */
function contains(actual: Json | undefined, wish: Json): boolean {
  if (Array.isArray(wish)) {
    // Servers leave empty lists out.
    if (wish.length === 0 && (actual ?? null) === null) return true;
    return (
      Array.isArray(actual) &&
      actual.length === wish.length &&
      wish.every((item, at) => contains(actual[at], item as Json))
    );
  }
  if (!isMap(wish)) return deepEqual(actual ?? null, wish);
  // An empty map and no map are the same wish.
  if (actual === undefined || !isMap(actual)) return Object.values(wish).every((value) => value === undefined);
  return Object.entries(wish).every(([key, value]) => value === undefined || contains(actual[key], value));
}

/** 64 bits over the object as sorted JSON. */
function digestOf(object: KubeObject): string {
  const text = sortedJson(object as unknown as Json);
  return `${hex(fnv32a(text))}${hex(fnv32(text))}`;
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}

function sortedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item) => sortedJson(item as Json)).join(',')}]`;
  if (!isMap(value)) return JSON.stringify(typeof value === 'bigint' ? String(value) : value);
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .toSorted(compareBytewise)
    .map((key) => `${JSON.stringify(key)}:${sortedJson(value[key] ?? null)}`)
    .join(',')}}`;
}

function dropTypes(object: KubeObject): JsonMap {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return rest as unknown as JsonMap;
}

function isMap(value: Json): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
