// What differs between two objects of a type, as sets of fields: the base of update tracking and of conflicts.
// Associative lists are compared item by item, atomic lists, maps and structs as a whole.

import type { Json } from '../schema/schema.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { FieldSet, leafNode } from './field-set.ts';
import { asList, asMap, type JsonMap } from '../values/json-shapes.ts';
import { atomKind, type FieldEntry, type FieldType, type ListType, type MapType } from './field-type.ts';
import { itemElement } from './item-element.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const nothing = new FieldSet();

/** How to read what an object leaves out. */
export interface CompareOptions {
  /**
   * Fields that Go's JSON always shows (structs held by value, fields without omitempty) count as present with their
   * zero value: so an update sees objects. False takes objects as they are: so an apply sees what it merged.
   */
  readonly implicitZeros: boolean;
}

/**
 * Compares two objects; an absent one counts as empty.
 *
 * @throws FieldTypeError when an item of an associative list can't be identified
 */
export function compareFields(
  type: FieldType,
  before: Json | undefined,
  after: Json | undefined,
  { implicitZeros }: CompareOptions,
): Comparison {
  const changes = new Changes(implicitZeros);
  if (type.map !== undefined) compareMaps(changes, type.map, asMap(before) ?? {}, asMap(after) ?? {});
  return {
    added: changes.added ?? nothing,
    modified: changes.modified ?? nothing,
    removed: changes.removed ?? nothing,
  };
}

/** The sets under construction at one level. */
class Changes {
  readonly implicitZeros: boolean;
  added: FieldSet | undefined;
  modified: FieldSet | undefined;
  removed: FieldSet | undefined;

  constructor(implicitZeros: boolean) {
    this.implicitZeros = implicitZeros;
  }

  /** Hangs what was found below an element under it. */
  attach(element: string, below: Changes): void {
    if (below.added !== undefined) putBelow((this.added ??= new FieldSet()), element, below.added);
    if (below.modified !== undefined) putBelow((this.modified ??= new FieldSet()), element, below.modified);
    if (below.removed !== undefined) putBelow((this.removed ??= new FieldSet()), element, below.removed);
  }

  modify(element: string): void {
    this.modified ??= new FieldSet();
    this.modified.put(element, true, this.modified.get(element)?.children);
  }
}

function putBelow(set: FieldSet, element: string, children: FieldSet): void {
  const old = set.get(element);
  set.put(element, old?.member ?? false, old?.children === undefined ? children : old.children.union(children));
}

function compareChild(
  changes: Changes,
  element: string,
  type: FieldType,
  before: Json | undefined,
  after: Json | undefined,
): void {
  if (before === after) return;
  if (before === undefined) {
    putPresent((changes.added ??= new FieldSet()), element, type, after ?? null, changes.implicitZeros);
    return;
  }
  if (after === undefined) {
    putPresent((changes.removed ??= new FieldSet()), element, type, before, changes.implicitZeros);
    return;
  }
  const kind = atomKind(type, after);
  const oldKind = atomKind(type, before);
  // A value that changes its shape (only untyped ones can) is compared as both.
  if (oldKind !== kind) compareAs(changes, element, type, oldKind, before, after);
  compareAs(changes, element, type, kind, before, after);
}

function compareAs(
  changes: Changes,
  element: string,
  type: FieldType,
  kind: 'map' | 'list' | 'scalar',
  before: Json,
  after: Json,
): void {
  if (kind === 'map' && type.map !== undefined && !type.map.atomic) {
    const old = asMap(before);
    const now = asMap(after);
    const zeros = changes.implicitZeros;
    if (!isEmptyMap(type.map, old, zeros) || !isEmptyMap(type.map, now, zeros)) {
      const below = new Changes(changes.implicitZeros);
      compareMaps(below, type.map, old, now);
      changes.attach(element, below);
      return;
    }
  } else if (kind === 'list' && type.list !== undefined && !type.list.atomic) {
    const old = asList(before) ?? [];
    const now = asList(after) ?? [];
    if (old.length > 0 || now.length > 0) {
      const below = new Changes(changes.implicitZeros);
      compareItems(below, type.list, old, now);
      changes.attach(element, below);
      return;
    }
  }
  if (!deepEqual(before, after)) changes.modify(element);
}

function isEmptyMap(type: MapType, map: JsonMap | undefined, implicitZeros: boolean): boolean {
  if (map === undefined) return true;
  for (const key in map) if (map[key] !== undefined) return false;
  return !implicitZeros || type.always.length === 0;
}

function compareMaps(changes: Changes, type: MapType, before: JsonMap | undefined, after: JsonMap | undefined): void {
  const zeroFor = (entry: FieldEntry | undefined): Json | undefined =>
    changes.implicitZeros ? entry?.zero : undefined;
  if (after !== undefined) {
    for (const key in after) {
      const entry = type.field(key);
      const fieldType = entry === undefined ? type.element : entry.type;
      if (fieldType === undefined) continue;
      // A struct that is present has all its always-present fields; one that is absent has none.
      const old = before === undefined ? undefined : (before[key] ?? presentOr(before, key, zeroFor(entry)));
      compareChild(
        changes,
        entry?.element ?? `f:${key}`,
        fieldType,
        old,
        after[key] ?? presentOr(after, key, zeroFor(entry)),
      );
    }
  }
  if (before !== undefined) {
    for (const key in before) {
      if (after !== undefined && Object.hasOwn(after, key)) continue;
      const entry = type.field(key);
      const fieldType = entry === undefined ? type.element : entry.type;
      if (fieldType === undefined) continue;
      const now = after === undefined ? undefined : zeroFor(entry);
      compareChild(
        changes,
        entry?.element ?? `f:${key}`,
        fieldType,
        before[key] ?? presentOr(before, key, zeroFor(entry)),
        now,
      );
    }
  }
  if (changes.implicitZeros && (before === undefined || after === undefined))
    compareZeros(changes, type, before, after);
}

function presentOr(map: JsonMap, key: string, zero: Json | undefined): Json | undefined {
  return map[key] === null ? null : zero;
}

// One side is no map at all: the other side's always-present fields that it does not spell out came or went with it.
function compareZeros(changes: Changes, type: MapType, before: JsonMap | undefined, after: JsonMap | undefined): void {
  const map = before ?? after;
  if (map === undefined) return;
  for (const entry of type.always) {
    if (Object.hasOwn(map, entry.name)) continue;
    compareChild(
      changes,
      entry.element,
      entry.type,
      before === undefined ? undefined : entry.zero,
      after === undefined ? undefined : entry.zero,
    );
  }
}

function compareItems(changes: Changes, type: ListType, before: readonly Json[], after: readonly Json[]): void {
  const old = groupItems(type, before);
  const now = groupItems(type, after);
  for (const [element, oldItems] of old) compareGroup(changes, element, type, oldItems, now.get(element) ?? []);
  for (const [element, items] of now) if (!old.has(element)) compareGroup(changes, element, type, [], items);
}

function groupItems(type: ListType, items: readonly Json[]): Map<string, readonly Json[]> {
  const groups = new Map<string, readonly Json[]>();
  for (const item of items) {
    const element = itemElement(type, item);
    const group = groups.get(element);
    groups.set(element, group === undefined ? [item] : [...group, item]);
  }
  return groups;
}

// Duplicates are not allowed in what is written but live in old objects: they are seen as one opaque thing.
function compareGroup(
  changes: Changes,
  element: string,
  type: ListType,
  before: readonly Json[],
  after: readonly Json[],
): void {
  if (before.length <= 1 && after.length <= 1) {
    compareChild(changes, element, type.items, before[0], after[0]);
  } else if (before.length >= 2 && after.length >= 2) {
    if (!deepEqual(before, after)) changes.modify(element);
  } else if (before.length >= 2) {
    if (after.length > 0) compareChild(changes, element, type.items, undefined, after[0]);
    (changes.removed ??= new FieldSet()).put(element, true, undefined);
  } else {
    if (before.length > 0) compareChild(changes, element, type.items, before[0], undefined);
    (changes.added ??= new FieldSet()).put(element, true, undefined);
  }
}

/** Puts a value that exists on one side only: itself and every field of it, whether leaf or not. */
function putPresent(set: FieldSet, element: string, type: FieldType, value: Json, implicitZeros: boolean): void {
  const children = presentBelow(type, value, implicitZeros);
  if (children === undefined) set.putNode(element, leafNode);
  else set.put(element, true, children);
}

function presentBelow(type: FieldType, value: Json, implicitZeros: boolean): FieldSet | undefined {
  switch (atomKind(type, value)) {
    case 'scalar':
      return undefined;
    case 'map':
      return type.map === undefined || type.map.atomic
        ? undefined
        : presentFields(type.map, asMap(value), implicitZeros);
    case 'list':
      return type.list === undefined || type.list.atomic
        ? undefined
        : presentItems(type.list, asList(value), implicitZeros);
  }
}

function presentFields(type: MapType, map: JsonMap | undefined, implicitZeros: boolean): FieldSet | undefined {
  if (map === undefined) return undefined;
  let out: FieldSet | undefined;
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    const entry = type.field(key);
    const fieldType = entry === undefined ? type.element : entry.type;
    if (fieldType !== undefined)
      putPresent((out ??= new FieldSet()), entry?.element ?? `f:${key}`, fieldType, value, implicitZeros);
  }
  if (!implicitZeros) return out;
  for (const entry of type.always) {
    if (entry.zero === undefined || map[entry.name] !== undefined) continue;
    putPresent((out ??= new FieldSet()), entry.element, entry.type, entry.zero, implicitZeros);
  }
  return out;
}

function presentItems(
  type: ListType,
  items: readonly Json[] | undefined,
  implicitZeros: boolean,
): FieldSet | undefined {
  if (items === undefined || items.length === 0) return undefined;
  const out = new FieldSet();
  for (const item of items) {
    const element = itemElement(type, item);
    if (out.get(element) === undefined) putPresent(out, element, type.items, item, implicitZeros);
    else out.putNode(element, leafNode);
  }
  return out;
}
