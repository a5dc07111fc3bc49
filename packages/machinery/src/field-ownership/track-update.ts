// Ownership after a create, a PUT or any patch but apply: the writer owns what it changed, the others lose it.
// Pure: objects in, entries out. Follows spec/apiserver.md §7.7.

import type { KubeObject, ManagedFieldsEntry } from '../meta/object.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { FieldTypeError } from './item-element.ts';
import { decodeManagedFields, encodeManagedFields, ManagedFieldsError, type Managers } from './managed-fields.ts';
import { recordUpdate } from './own-fields.ts';
import type { TrackUpdateOptions } from './ownership-types.ts';
import { Updater } from './updater.ts';

type Entries = readonly ManagedFieldsEntry[];

/**
 * Computes `metadata.managedFields` of an object about to be stored.
 *
 * 1. Never fails on what is in the object: where ownership can't be told (malformed entries, list items without keys)
 *    the object is stored with no tracking, as upstream does. Errors of `convert` pass through.
 * 2. An existing object that nobody tracks stays untracked; a created one is always tracked.
 * 3. Unchanged entries are returned as the same objects.
 *
 * @returns the entries, or undefined when `managedFields` is to be left out
 */
export function trackUpdate(options: TrackUpdateOptions): Entries | undefined {
  try {
    return track(options);
  } catch (error) {
    if (error instanceof FieldTypeError || error instanceof ManagedFieldsError) return undefined;
    throw error;
  }
}

function track(options: TrackUpdateOptions): Entries | undefined {
  const { live, object, manager, apiVersion, subresource = '', time } = options;
  const managers = baseManagers(live, object, subresource !== '');
  if (managers.size === 0 && hasUid(live)) return undefined;
  const updater = new Updater(options);
  if (updater.typeAt(apiVersion) === undefined) return undefined;
  const { managers: left, written } = updater.update({ object: live ?? {}, apiVersion }, object, managers);
  recordUpdate(
    left,
    { name: manager === '' ? 'unknown' : manager, operation: 'Update', apiVersion, subresource, time },
    written,
  );
  return encodeManagedFields(left);
}

function hasUid(object: KubeObject | undefined): boolean {
  return (object?.metadata?.uid ?? '') !== '';
}

// The entries a client sends back win over the live ones, unless it resets them or they can't be read.
function baseManagers(live: KubeObject | undefined, object: KubeObject, liveOnly: boolean): Managers {
  const liveEntries = live?.metadata?.managedFields;
  const sent = liveOnly ? undefined : object.metadata?.managedFields;
  if (sent !== undefined && sent !== null) {
    if (isReset(sent)) return new Map();
    const managers = decodeOrNone(reuseEntries(sent, liveEntries));
    if (managers.size > 0) return managers;
  }
  return decodeOrNone(liveEntries);
}

function isReset(entries: Entries): boolean {
  const [first, ...others] = entries;
  return first === undefined || (others.length === 0 && Object.keys(first).length === 0);
}

function decodeOrNone(entries: Entries | undefined): Managers {
  try {
    return decodeManagedFields(entries);
  } catch (error) {
    if (error instanceof ManagedFieldsError) return new Map();
    throw error;
  }
}

// A PUT mostly sends back what it read: the live entries are decoded already.
function reuseEntries(sent: Entries, live: Entries | undefined): Entries {
  if (live === undefined || live === null) return sent;
  return sent.map((entry, index) => {
    const known = live[index];
    return known !== undefined && deepEqual(entry, known) ? known : entry;
  });
}
