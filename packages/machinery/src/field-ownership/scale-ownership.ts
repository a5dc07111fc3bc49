// Ownership across `/scale`: a Scale shows one field of its parent, so the managers of that field are carried over to
// the Scale before a write and back to the parent after it. Follows upstream's scale handler to the letter: entries
// that come back from an update are new ones without a time, even beside an older one of the same manager.

import type { ManagedFieldsEntry } from '../meta/object.ts';
import { FieldSet } from './field-set.ts';
import { decodeManagedFields, encodeManagedFields, type Managers } from './managed-fields.ts';

type Entries = readonly ManagedFieldsEntry[];

/** Where a parent keeps its replicas, by its apiVersion: `{ 'apps/v1': 'spec.replicas' }`. Others are dropped. */
export type ReplicasPaths = Readonly<Record<string, string>>;

const scaleApiVersion = 'autoscaling/v1';
const scalePath = ['f:spec', 'f:replicas'];

/** The entries a Scale shows. @throws ManagedFieldsError for malformed entries */
export function toScaleManagedFields(parent: Entries | undefined, paths: ReplicasPaths): Entries | undefined {
  const out: Managers = new Map();
  for (const [id, manager] of decodeManagedFields(parent)) {
    const path = pathOf(paths, manager.apiVersion);
    if (path === undefined || !manager.fields.has(path)) continue;
    const { name, operation, subresource, time } = manager;
    out.set(id, { name, operation, subresource, time, apiVersion: scaleApiVersion, fields: setOf(scalePath) });
  }
  return encodeManagedFields(out);
}

/**
 * The parent's entries after a write to its Scale.
 *
 * @param parent the parent's entries before the write
 * @param scale the Scale's entries after it
 * @param apiVersion the parent's version at the endpoint
 * @throws ManagedFieldsError for malformed entries
 */
export function toParentManagedFields(
  parent: Entries | undefined,
  scale: Entries | undefined,
  options: { readonly apiVersion: string; readonly paths: ReplicasPaths },
): Entries | undefined {
  const { apiVersion, paths } = options;
  const parentManagers = decodeManagedFields(parent);
  const scaleManagers = decodeManagedFields(scale);
  const out: Managers = new Map();
  for (const [id, manager] of parentManagers) {
    const path = pathOf(paths, manager.apiVersion);
    if (path === undefined) continue;
    if (!manager.fields.has(path) || scaleManagers.delete(id)) {
      out.set(id, manager);
      continue;
    }
    const fields = manager.fields.difference(setOf(path));
    if (!fields.isEmpty) out.set(id, { ...manager, fields });
  }
  const path = pathOf(paths, apiVersion);
  if (path === undefined) return encodeManagedFields(out);
  for (const [id, { name, operation, subresource, fields }] of scaleManagers) {
    if (!fields.has(scalePath)) continue;
    out.set(id, { name, operation, subresource, apiVersion, time: parentManagers.get(id)?.time, fields: setOf(path) });
  }
  return encodeManagedFields(out);
}

function pathOf(paths: ReplicasPaths, apiVersion: string): readonly string[] | undefined {
  return Object.hasOwn(paths, apiVersion) ? paths[apiVersion]?.split('.').map((name) => `f:${name}`) : undefined;
}

function setOf(path: readonly string[]): FieldSet {
  const set = new FieldSet();
  set.insert(path);
  return set;
}
