// Reads a store's file into memory at opening: the current state and the history since the compaction, in one pass in
// row order. Values stay bytes. Checks on the way that the rows tell a story without gaps.

import type { Clock } from '@homeostat/base';
import type { DatabaseSync } from 'node:sqlite';
import { OrderedMap } from '../ordered-map.ts';
import { Entry, type Change, type EntryEvent } from '../sequencing/change.ts';
import type { Deadline } from '../sequencing/expiry.ts';
import { VersionedMap } from '../sequencing/versioned-map.ts';
import { StorageError } from '../store.ts';
import { holdBytes } from '../value-holder.ts';
import { applicationId, createSchema, ordinalOf, revisionOf, rowId, schemaVersion } from './schema.ts';

export interface LoadedState {
  readonly state: VersionedMap;
  readonly deadlines: readonly Deadline[];
}

type Row = readonly [
  id: number,
  key: string,
  value: Uint8Array | null,
  createRevision: number,
  version: number,
  previous: number,
  expiresAtMs: number,
];

// Loading yields after this many rows' worth of bytes, so that starting beside others stays smooth (design law 15).
const sliceBytes = 4 * 1024 * 1024;

/** Creates the tables when the file is new. @throws StorageError `corrupt`, `incompatible`; what SQLite throws */
export async function loadState(database: DatabaseSync, clock: Clock): Promise<LoadedState> {
  const compactedRevision = openSchema(database);
  const loader = new StateLoader(compactedRevision);
  const rows = database.prepare(
    'SELECT id, key, value, createRevision, version, previous, expiresAtMs FROM state ORDER BY id',
  );
  rows.setReturnArrays(true);
  let bytes = 0;
  for (const row of rows.iterate() as Iterable<unknown> as Iterable<Row>) {
    loader.take(row);
    bytes += 200 + (row[2]?.byteLength ?? 0);
    if (bytes > sliceBytes) {
      bytes = 0;
      await clock.yield();
    }
  }
  return loader.finish();
}

/** Returns the compacted revision. */
function openSchema(database: DatabaseSync): number {
  const tables = database.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n'];
  if (tables === 0) {
    createSchema(database);
    return 1;
  }
  const id = database.prepare('PRAGMA application_id').get()?.['application_id'];
  if (id !== applicationId) throw corrupt('it is a SQLite file of another program');
  const read = database.prepare('SELECT value FROM meta WHERE name = ?');
  const version = read.get('schemaVersion')?.['value'];
  if (version !== schemaVersion) {
    throw new StorageError(
      'incompatible',
      `the store has format ${String(version)}, this version of Homeostat knows format ${schemaVersion}`,
    );
  }
  const compacted = read.get('compactedRevision')?.['value'];
  if (typeof compacted !== 'number') throw corrupt('the compacted revision is missing');
  return compacted;
}

class StateLoader {
  readonly #compactedRevision: number;
  readonly #base = OrderedMap.empty<Entry>();
  readonly #latest = new Map<string, Entry>();
  readonly #expiring = new Map<string, Entry>();
  #state: VersionedMap | undefined;
  #events: EntryEvent[] = [];
  #eventsRevision = 0;

  constructor(compactedRevision: number) {
    this.#compactedRevision = compactedRevision;
  }

  take([id, key, value, createRevision, version, previousId, expiresAtMs]: Row): void {
    const revision = revisionOf(id);
    const previous = this.#latest.get(key);
    if (revision >= this.#compactedRevision && previousId !== idOf(previous)) {
      throw corrupt(`revision ${revision} of ${key} does not follow the state before it`);
    }
    const current =
      value === null
        ? undefined
        : new Entry({
            key,
            value: holdBytes(value),
            createRevision,
            modRevision: revision,
            version,
            ordinal: ordinalOf(id),
            expiresAtMs,
          });
    this.#remember(key, current);
    if (revision < this.#compactedRevision) {
      if (current !== undefined) this.#base.set(key, current);
      else this.#base.delete(key);
      return;
    }
    if (revision !== this.#eventsRevision) {
      this.#applyEvents();
      this.#eventsRevision = revision;
    }
    this.#events.push({
      type: current === undefined ? 'delete' : 'put',
      key,
      revision,
      ordinal: ordinalOf(id),
      current,
      previous,
    });
  }

  finish(): LoadedState {
    this.#applyEvents();
    const state = this.#startState();
    if (state.revision < this.#compactedRevision) throw corrupt(`revision ${this.#compactedRevision} is missing`);
    const deadlines = Array.from(this.#expiring.values(), (entry) => ({
      key: entry.key,
      modRevision: entry.modRevision,
      atMs: entry.expiresAtMs,
    }));
    return { state, deadlines };
  }

  #remember(key: string, current: Entry | undefined): void {
    if (current === undefined) this.#latest.delete(key);
    else this.#latest.set(key, current);
    if (current !== undefined && current.expiresAtMs > 0) this.#expiring.set(key, current);
    else this.#expiring.delete(key);
  }

  #applyEvents(): void {
    if (this.#events.length === 0) return;
    const state = this.#startState();
    const change: Change = { revision: this.#eventsRevision, events: this.#events };
    if (change.revision !== state.revision + 1) {
      throw corrupt(`revision ${state.revision + 1} is missing`);
    }
    state.apply(change);
    this.#events = [];
  }

  // The compacted revision itself is still there as a change, except in a store that has seen none: that begins at 1.
  #startState(): VersionedMap {
    const before = Math.max(1, this.#compactedRevision - 1);
    this.#state ??= new VersionedMap(this.#base, before, this.#compactedRevision);
    return this.#state;
  }
}

function idOf(entry: Entry | undefined): number {
  return entry === undefined ? 0 : rowId(entry.modRevision, entry.ordinal);
}

function corrupt(what: string): StorageError {
  return new StorageError('corrupt', what);
}
