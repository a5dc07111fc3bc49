// Recording what a writer owns after a write: system fields are nobody's, a manager keeps what it had, and only so many
// update managers are kept apart (the oldest become `ancient-changes`).

import { compareBytewise } from '../values/go-strings.ts';
import { FieldSet } from './field-set.ts';
import { managerId, type Manager, type Managers, secondsOf } from './managed-fields.ts';

const updateManagersMax = 10;
const ancientManager = 'ancient-changes';

const metadata = 'f:metadata';
const systemFields = new FieldSet();
for (const name of ['apiVersion', 'kind']) systemFields.insert([`f:${name}`]);
systemFields.insert([metadata]);
for (const name of [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
]) {
  systemFields.insert([metadata, `f:${name}`]);
}

/** The set without what the system owns. */
export function withoutSystemFields(fields: FieldSet): FieldSet {
  return fields.difference(systemFields);
}

/** Adds what an update wrote to its manager's entry, at the given time; an update that wrote nothing leaves no trace. */
export function recordUpdate(managers: Managers, writer: Omit<Manager, 'fields' | 'source'>, written: FieldSet): void {
  const fields = withoutSystemFields(written);
  if (!fields.isEmpty) {
    const id = managerId(writer);
    const old = managers.get(id)?.fields;
    managers.set(id, { ...writer, fields: old === undefined ? fields : old.union(fields) });
  }
  capUpdateManagers(managers);
}

// Upstream's algorithm to the letter: the oldest manager of each version only becomes the bucket when a second one joins.
function capUpdateManagers(managers: Managers): void {
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update');
  let count = updaters.length;
  if (count <= updateManagersMax) return;
  updaters.sort(([idA, a], [idB, b]) => secondsOf(a.time) - secondsOf(b.time) || compareBytewise(idA, idB));
  const firstOfVersion = new Map<string, string>();
  for (const [id, manager] of updaters) {
    if (count <= updateManagersMax) return;
    const { apiVersion, time } = manager;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, id);
      continue;
    }
    const bucket = { name: ancientManager, operation: 'Update' as const, apiVersion, subresource: '' };
    const bucketId = managerId(bucket);
    let fields = managers.get(bucketId)?.fields;
    if (fields === undefined) {
      fields = managers.get(first)?.fields ?? new FieldSet();
      managers.delete(first);
    }
    managers.delete(id);
    managers.set(bucketId, { ...bucket, time, fields: manager.fields.union(fields) });
    count--;
  }
}
