// `metadata.managedFields` as ownership works with it: one set of fields per manager, and back to entries.
// Objects are immutable, so the same entries come again with every write: sets decoded lately are remembered. Most objects
// of a kind are owned alike: equal sets share one encoded form, so that thousands of Pods hold a few of them.

import type { ManagedFieldsEntry } from '../meta/object.ts';
import type { Json } from '../schema/schema.ts';
import { compareBytewise, goJsonString, goQuote } from '../values/go-strings.ts';
import { FieldSet, type FieldsV1 } from './field-set.ts';
import { RecentMap } from './recent-map.ts';

/** One manager of an object: who, how, at which version, and what it owns. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
  /** The entry it was decoded from, while nothing but the fields may have changed. */
  readonly source?: ManagedFieldsEntry;
}

/** Managers by identity. */
export type Managers = Map<string, Manager>;

/** Entries that can't be understood; the message is upstream's. */
export class ManagedFieldsError extends Error {
  override readonly name = 'ManagedFieldsError';
}

/**
 * What makes an entry the same entry: name, operation, subresource and, for updates, the version.
 * The text is upstream's, for the orders that depend on it.
 */
export function managerId(manager: Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>): string {
  const { name, operation, apiVersion, subresource } = manager;
  return (
    `{${name === '' ? '' : `"manager":${goJsonString(name)},`}"operation":"${operation}"` +
    `${operation === 'Apply' || apiVersion === '' ? '' : `,"apiVersion":${goJsonString(apiVersion)}`}` +
    `${subresource === '' ? '' : `,"subresource":${goJsonString(subresource)}`}}`
  );
}

// A set takes several times the memory of its encoded form: only the latest are kept.
const decoded = new RecentMap<object, FieldSet>(() => new WeakMap(), 2048);
const encoded = new RecentMap<FieldSet, FieldsV1>(() => new WeakMap(), 2048);
const sharedByHash = new RecentMap<number, { readonly set: FieldSet; readonly fields: FieldsV1 }>(() => new Map(), 512);

function decodeFields(fields: { readonly [key: string]: Json } | null | undefined): FieldSet {
  if (fields === null || fields === undefined) return new FieldSet();
  let set = decoded.get(fields);
  if (set === undefined) {
    const read = FieldSet.fromFieldsV1(fields);
    set = read.set;
    decoded.set(fields, set);
    if (read.canonical) encoded.set(set, fields as FieldsV1);
  }
  return set;
}

/** The FieldsV1 form of a set, shared with equal sets. */
export function encodeFields(set: FieldSet): FieldsV1 {
  const known = encoded.get(set);
  if (known !== undefined) return known;
  const hash = set.hash();
  const shared = sharedByHash.get(hash);
  let fields: FieldsV1;
  if (shared !== undefined && shared.set.equals(set)) {
    ({ fields } = shared);
  } else {
    fields = set.toFieldsV1();
    sharedByHash.set(hash, { set, fields });
    decoded.set(fields, set);
  }
  encoded.set(set, fields);
  return fields;
}

/** Reads entries. @throws ManagedFieldsError when one is malformed */
export function decodeManagedFields(entries: readonly ManagedFieldsEntry[] | null | undefined): Managers {
  const managers: Managers = new Map();
  for (const [index, entry] of (entries ?? []).entries()) {
    const manager = decodeEntry(entry, index);
    managers.set(managerId(manager), manager);
  }
  return managers;
}

function decodeEntry(entry: ManagedFieldsEntry, index: number): Manager {
  const { operation, apiVersion = '', fieldsType = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update')
    throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new ManagedFieldsError('apiVersion must not be empty');
  if (fieldsType === '') throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw new ManagedFieldsError(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`);
  }
  try {
    return {
      name: entry.manager ?? '',
      operation,
      apiVersion,
      subresource: entry.subresource ?? '',
      time: entry.time ?? undefined,
      fields: decodeFields(entry.fieldsV1),
      source: entry,
    };
  } catch (error) {
    if (error instanceof SyntaxError) throw new ManagedFieldsError(`error decoding set: ${error.message}`);
    throw error;
  }
}

/** Entries in canonical order; undefined when there are none, as the field is then left out. */
export function encodeManagedFields(managers: Managers): readonly ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  const entries = [...managers.values()].map(encodeManager);
  // The order of a write is mostly the order of the last one.
  for (let i = 1; i < entries.length; i++) {
    const [before, after] = [entries[i - 1], entries[i]];
    if (before !== undefined && after !== undefined && compareEntries(before, after) > 0)
      return entries.sort(compareEntries);
  }
  return entries;
}

function encodeManager(manager: Manager): ManagedFieldsEntry {
  const fieldsV1 = encodeFields(manager.fields);
  const { source, name, operation, apiVersion, time, subresource } = manager;
  if (
    source !== undefined &&
    source.fieldsV1 === fieldsV1 &&
    source.time === time &&
    source.apiVersion === apiVersion
  ) {
    return source;
  }
  return {
    ...(name === '' ? {} : { manager: name }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === '' ? {} : { subresource }),
  };
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  if (a.operation !== b.operation) return a.operation === 'Apply' ? -1 : 1;
  return (
    secondsOf(a.time) - secondsOf(b.time) ||
    compareBytewise(a.manager ?? '', b.manager ?? '') ||
    compareBytewise(a.apiVersion ?? '', b.apiVersion ?? '') ||
    compareBytewise(a.subresource ?? '', b.subresource ?? '')
  );
}

/** Seconds since 1970; entries without a time count as 1970. */
export function secondsOf(time: string | undefined): number {
  if (time === undefined) return 0;
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1000);
}
