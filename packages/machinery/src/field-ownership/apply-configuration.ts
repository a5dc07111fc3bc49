// Server-side apply: merges a configuration into the live object, takes away what the manager no longer applies,
// and tells who owns what now. Pure: nothing is read or stored. Follows spec/apiserver.md §7.5 and §7.8.

import { newBadRequest, newInternalError, newUnknown } from '../errors.ts';
import { parseApiVersion } from '../meta/group-version.ts';
import type { KubeObject } from '../meta/object.ts';
import { deepEqual } from '../values/deep-equal.ts';
import { newApplyConflict } from './conflict.ts';
import type { FieldSet } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { FieldTypeError } from './item-element.ts';
import { kubectlManager, lastAppliedFields, refreshLastApplied } from './last-applied.ts';
import {
  decodeManagedFields,
  encodeManagedFields,
  ManagedFieldsError,
  managerId,
  type Managers,
} from './managed-fields.ts';
import { recordUpdate, withoutSystemFields } from './own-fields.ts';
import type { ApplyOptions, ApplyResult } from './ownership-types.ts';
import { asJson, ConflictError, Updater } from './updater.ts';
import { assertFits } from './validate.ts';

const beforeFirstApply = 'before-first-apply';

/**
 * Applies a configuration.
 *
 * 1. An object that nobody tracks gets an entry `before-first-apply` for all it has, first.
 * 2. An apply that changes nothing returns `changed: false` and keeps the entry's time.
 *
 * @throws ApiError 409 with a cause per conflicting field, unless `force`
 * @throws ApiError 400 for a configuration of another kind or version, or one with managedFields
 * @throws ApiError 500 for a configuration that does not fit its type (upstream's answer to unknown fields here)
 */
export function applyConfiguration(options: ApplyOptions): ApplyResult {
  const { live, config, apiVersion, kind } = options;
  const managers = decodeLive(live);
  const gvk = printKind(config);
  if (gvk !== printKind({ apiVersion, kind })) throw newBadRequest(`invalid object type: ${gvk}`);
  if ((config.metadata?.managedFields ?? null) !== null) throw newBadRequest('metadata.managedFields must be nil');
  const updater = new Updater(options);
  const type = updater.typeAt(apiVersion);
  if (type === undefined) throw newInternalError(new Error(`no corresponding type for ${gvk}`));
  assertTyped('patch', type, config, gvk);
  const current = withoutManagedFields(live);
  try {
    return applyTo(current, options, updater, trackExisting(current, options, updater, managers), type);
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error;
    // The configuration fits: what can't be told apart is in the live object, which updates may have left so.
    assertTyped('live', type, current, gvk);
    throw newUnknown(error.message);
  }
}

function decodeLive(live: KubeObject | undefined): Managers {
  try {
    return decodeManagedFields(live?.metadata?.managedFields);
  } catch (error) {
    if (error instanceof ManagedFieldsError) throw newUnknown(`failed to decode managed fields: ${error.message}`);
    throw error;
  }
}

/** `apps/v1, Kind=Deployment`; `/v1, Kind=Pod` for the core group. */
function printKind({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string {
  const isWellFormed = (apiVersion ?? '').split('/').length <= 2;
  const { group, version } = parseApiVersion(isWellFormed ? (apiVersion ?? '') : '');
  return `${group}/${version}, Kind=${isWellFormed ? (kind ?? '') : ''}`;
}

/** @throws ApiError 500 that says what does not fit */
function assertTyped(what: 'patch' | 'live', type: FieldType, object: KubeObject, gvk: string): void {
  try {
    assertFits(type, asJson(object));
  } catch (error) {
    if (!(error instanceof FieldTypeError)) throw error;
    const name = `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`;
    throw newUnknown(`failed to create typed ${what} object (${name}; ${gvk}): ${error.message}`);
  }
}

function withoutManagedFields(live: KubeObject | undefined): KubeObject {
  if (live === undefined) return {};
  if (live.metadata?.managedFields === undefined) return live;
  const { managedFields: _, ...metadata } = live.metadata;
  return { ...live, metadata };
}

function trackExisting(live: KubeObject, options: ApplyOptions, updater: Updater, managers: Managers): Managers {
  if (managers.size > 0 || options.live === undefined) return managers;
  const { apiVersion, subresource = '', time } = options;
  const { managers: left, written } = updater.update({ object: {}, apiVersion }, live, managers);
  recordUpdate(left, { name: beforeFirstApply, operation: 'Update', apiVersion, subresource, time }, written);
  return left;
}

function applyTo(
  live: KubeObject,
  options: ApplyOptions,
  updater: Updater,
  managers: Managers,
  type: FieldType,
): ApplyResult {
  const { config, apiVersion, subresource = '', time, force = false } = options;
  const name = options.manager === '' ? 'unknown' : options.manager;
  const identity = { name, operation: 'Apply' as const, apiVersion, subresource };
  const id = managerId(identity);
  const old = managers.get(id);
  const self = {
    id,
    manager: { ...identity, time: old?.time, ...(old?.source === undefined ? {} : { source: old.source }) },
  };
  const run = (forced: boolean) => updater.apply({ object: live, apiVersion }, config, managers, self, forced);

  const { object: merged, managers: left } = resolveConflicts(
    run,
    force,
    (conflicts) => {
      if (options.manager !== kubectlManager) return conflicts;
      return withoutVouched(conflicts, lastAppliedFields(type, live, apiVersion));
    },
    managers,
  );

  const changed = options.live === undefined || !deepEqual(merged, live);
  const mine = left.get(id);
  if (mine !== undefined) {
    const applied = withoutSystemFields(mine.fields);
    // The same set again: keeping the old one saves encoding it.
    const fields = old?.fields.equals(applied) === true ? old.fields : applied;
    if (fields.isEmpty) left.delete(id);
    else left.set(id, { ...mine, fields, time: changed ? time : mine.time });
  }
  const object = changed ? merged : live;
  return {
    object: options.manager === kubectlManager ? refreshLastApplied(object, config) : object,
    managedFields: encodeManagedFields(left),
    changed,
  };
}

type Applied = ReturnType<Updater['apply']>;
type Conflicts = ReadonlyMap<string, FieldSet>;

// Runs the apply; conflicts that `remaining` waves through are forced.
function resolveConflicts(
  run: (force: boolean) => Applied,
  force: boolean,
  remaining: (conflicts: Conflicts) => Conflicts,
  managers: Managers,
): Applied {
  try {
    return run(force);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const left = remaining(error.conflicts);
    if (left.size > 0) throw newApplyConflict(left, managers);
    return run(true);
  }
}

function withoutVouched(conflicts: Conflicts, vouched: FieldSet): Conflicts {
  const left = new Map<string, FieldSet>();
  for (const [id, fields] of conflicts) {
    const rest = fields.difference(vouched);
    if (!rest.isEmpty) left.set(id, rest);
  }
  return left;
}
