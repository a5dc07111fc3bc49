// The rules of ownership, on sets: what an update takes from others, when an apply conflicts, what it prunes.
// Works with managers as decoded; identities, times, entries and the request are the callers' business.
// Follows spec/apiserver.md §7.7–7.8 and structured-merge-diff's updater.

import { invariant } from '@homeostat/base';
import type { KubeObject } from '../meta/object.ts';
import type { Json } from '../schema/schema.ts';
import { compareFields, type CompareOptions, type Comparison } from './compare.ts';
import type { FieldFilter } from './field-filter.ts';
import { FieldSet } from './field-set.ts';
import { type FieldType, fieldTypeOf } from './field-type.ts';
import { fieldsOf } from './fields-of.ts';
import type { Manager, Managers } from './managed-fields.ts';
import { mergeFields } from './merge.ts';
import type { OwnershipRequest, OwnershipTypes } from './ownership-types.ts';
import { removeFields } from './remove.ts';
import { reconcileWithType, withNamedFields } from './set-types.ts';

export type Versions = Pick<OwnershipRequest, keyof OwnershipTypes | 'resetFields'>;

/** Fields an apply wants to change that others own, by the owners' identities. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  readonly conflicts: ReadonlyMap<string, FieldSet>;

  constructor(conflicts: ReadonlyMap<string, FieldSet>) {
    super(`${conflicts.size} managers own fields that the configuration changes`);
    this.conflicts = conflicts;
  }
}

/** An object at a version. */
export interface Versioned {
  readonly object: KubeObject;
  readonly apiVersion: string;
}

const asUpdate: CompareOptions = { implicitZeros: true };
const asApply: CompareOptions = { implicitZeros: false };

export class Updater {
  readonly #versions: Versions;

  constructor(versions: Versions) {
    this.#versions = versions;
  }

  /** The type at a version; undefined when the version is gone. */
  typeAt(apiVersion: string): FieldType | undefined {
    const schema = this.#versions.schemaFor(apiVersion);
    return schema === undefined ? undefined : fieldTypeOf(schema);
  }

  /** An update never conflicts: what it changed is its own now. Returns the managers left and what the writer gets. */
  update(live: Versioned, object: KubeObject, managers: Managers): { managers: Managers; written: FieldSet } {
    const { apiVersion } = live;
    const left = this.#reconcile(managers);
    const comparison = this.#compare(live, { object, apiVersion }, apiVersion, asUpdate);
    invariant(comparison !== undefined, `the type at ${apiVersion} is known`);
    this.#takeFromOthers(left, live, { object, apiVersion }, comparison, undefined);
    const written = this.#filter(apiVersion, comparison.added.union(comparison.modified));
    return { managers: left, written };
  }

  /**
   * Applies a configuration for the manager `self`, whose entry (if any) is among `managers`.
   *
   * @throws ConflictError unless `force`
   */
  apply(
    live: Versioned,
    config: KubeObject,
    managers: Managers,
    self: { readonly id: string; readonly manager: Omit<Manager, 'fields'> },
    force: boolean,
  ): { object: KubeObject; managers: Managers } {
    const { apiVersion } = live;
    const type = this.#knownType(apiVersion);
    const left = this.#reconcile(managers);
    const merged = { object: mergeObjects(type, live.object, config), apiVersion };
    const last = left.get(self.id);
    const fields = this.#filter(apiVersion, fieldsOf(type, asJson(config)));
    left.set(self.id, { ...self.manager, fields });
    const object = this.#prune(merged, left, last);
    const versioned = { object, apiVersion };
    const comparison = this.#compare(live, versioned, apiVersion, asApply);
    invariant(comparison !== undefined, `the type at ${apiVersion} is known`);
    const conflicts = this.#takeFromOthers(left, live, versioned, comparison, self.id);
    if (!force && conflicts.size > 0) throw new ConflictError(conflicts);
    return { object, managers: left };
  }

  #knownType(apiVersion: string): FieldType {
    const type = this.typeAt(apiVersion);
    invariant(type !== undefined, `the type at ${apiVersion} is known`);
    return type;
  }

  #reconcile(managers: Managers): Managers {
    const out: Managers = new Map();
    for (const [id, manager] of managers) {
      const type = this.typeAt(manager.apiVersion);
      // Entries at versions that are gone end here.
      if (type === undefined) continue;
      const fields = reconcileWithType(manager.fields, type);
      out.set(id, fields === manager.fields ? manager : { ...manager, fields });
    }
    return out;
  }

  #compare(before: Versioned, after: Versioned, apiVersion: string, options: CompareOptions): Comparison | undefined {
    const type = this.typeAt(apiVersion);
    if (type === undefined) return undefined;
    const old = this.#at(before, apiVersion);
    const now = this.#at(after, apiVersion);
    const comparison = compareFields(type, asJson(old.object), asJson(now.object), options);
    const filter = this.#versions.resetFields?.(apiVersion);
    return filter === undefined ? comparison : filterComparison(comparison, filter);
  }

  #at(versioned: Versioned, apiVersion: string): Versioned {
    if (versioned.apiVersion === apiVersion) return versioned;
    return { object: this.#versions.convert(versioned.object, apiVersion), apiVersion };
  }

  #filter(apiVersion: string, fields: FieldSet): FieldSet {
    return this.#versions.resetFields?.(apiVersion)?.filter(fields) ?? fields;
  }

  // Takes what changed from every manager but `self`; returns what they owned of it (removals are no conflict).
  #takeFromOthers(
    managers: Managers,
    before: Versioned,
    after: Versioned,
    own: Comparison,
    self: string | undefined,
  ): ReadonlyMap<string, FieldSet> {
    const conflicts = new Map<string, FieldSet>();
    const options = self === undefined ? asUpdate : asApply;
    const comparisons = new Map<string, Comparison | undefined>([[before.apiVersion, own]]);
    for (const [id, manager] of managers) {
      let { fields } = manager;
      if (id !== self) {
        const { apiVersion } = manager;
        if (!comparisons.has(apiVersion))
          comparisons.set(apiVersion, this.#compare(before, after, apiVersion, options));
        const comparison = comparisons.get(apiVersion);
        if (comparison === undefined) continue;
        fields = fields.difference(comparison.modified).difference(comparison.added);
        if (fields !== manager.fields && self !== undefined) {
          conflicts.set(id, manager.fields.intersection(comparison.modified.union(comparison.added)));
        }
        fields = fields.difference(comparison.removed);
      }
      if (fields.isEmpty) managers.delete(id);
      else if (fields !== manager.fields) managers.set(id, { ...manager, fields });
    }
    return conflicts;
  }

  // Removes what the manager applied last time, does not apply now, and nobody else owns.
  #prune(merged: Versioned, managers: Managers, last: Manager | undefined): KubeObject {
    if (last === undefined || last.fields.isEmpty) return merged.object;
    const { apiVersion } = last;
    const type = this.typeAt(apiVersion);
    if (type === undefined) return merged.object;
    const whole = this.#at(merged, apiVersion);
    const lastFields = withNamedFields(last.fields, type);
    let pruned: Versioned = { object: removeFromObject(type, whole.object, lastFields), apiVersion };
    pruned = this.#addBackOwned(whole, pruned, managers);
    pruned = this.#addBackDangling(whole, this.#at(pruned, apiVersion), type, lastFields);
    return this.#at(pruned, merged.apiVersion).object;
  }

  // Puts back what somebody owns, version by version, the pruned one first.
  #addBackOwned(whole: Versioned, pruned: Versioned, managers: Managers): Versioned {
    const owned = new Map<string, FieldSet>();
    for (const { apiVersion, fields } of managers.values()) {
      owned.set(apiVersion, (owned.get(apiVersion) ?? new FieldSet()).union(fields));
    }
    const versions = [...owned.keys()].sort(
      (a, b) => Number(b === pruned.apiVersion) - Number(a === pruned.apiVersion),
    );
    let [all, left] = [whole, pruned];
    for (const apiVersion of versions) {
      const type = this.typeAt(apiVersion);
      const fields = owned.get(apiVersion);
      if (type === undefined || fields === undefined) continue;
      all = this.#at(all, apiVersion);
      left = this.#at(left, apiVersion);
      const allFields = withNamedFields(fieldsOf(type, asJson(all.object)), type);
      const leftFields = withNamedFields(fieldsOf(type, asJson(left.object)), type);
      const gone = allFields.difference(leftFields.union(withNamedFields(fields, type)));
      left = { object: removeFromObject(type, all.object, gone), apiVersion };
    }
    return left;
  }

  // Puts back what only went because it was below something removed, and was never the manager's.
  #addBackDangling(whole: Versioned, pruned: Versioned, type: FieldType, lastFields: FieldSet): Versioned {
    const prunedFields = withNamedFields(fieldsOf(type, asJson(pruned.object)), type);
    const wholeFields = withNamedFields(fieldsOf(type, asJson(whole.object)), type);
    const gone = wholeFields.difference(prunedFields).intersection(lastFields);
    return { object: removeFromObject(type, whole.object, gone), apiVersion: whole.apiVersion };
  }
}

function filterComparison(comparison: Comparison, filter: FieldFilter): Comparison {
  return {
    added: filter.filter(comparison.added),
    modified: filter.filter(comparison.modified),
    removed: filter.filter(comparison.removed),
  };
}

// Objects are JSON at run time; their interfaces just have no index signature.
export function asJson(object: KubeObject): Json {
  return object as Json;
}

function mergeObjects(type: FieldType, live: KubeObject, config: KubeObject): KubeObject {
  return mergeFields(type, asJson(live), asJson(config)) as KubeObject;
}

function removeFromObject(type: FieldType, object: KubeObject, fields: FieldSet): KubeObject {
  return removeFields(type, asJson(object), fields) as KubeObject;
}
