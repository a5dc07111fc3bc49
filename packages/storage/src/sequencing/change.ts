// What one transaction did: the unit that is made durable, applied, kept as history and told to watchers.

import type { KeyValue, StoreEvent, ValueHolder } from '../store.ts';

/** A stored state of a key, with what the engines keep beside the contract's fields. */
export class Entry implements KeyValue {
  readonly key: string;
  readonly value: ValueHolder;
  readonly createRevision: number;
  readonly modRevision: number;
  readonly version: number;
  /** Place of the operation in its transaction: names the row together with `modRevision`. */
  readonly ordinal: number;
  /** Wall time at which the entry is to be deleted; 0 = never. */
  readonly expiresAtMs: number;

  constructor(fields: Omit<Entry, 'withValue'>) {
    this.key = fields.key;
    this.value = fields.value;
    this.createRevision = fields.createRevision;
    this.modRevision = fields.modRevision;
    this.version = fields.version;
    this.ordinal = fields.ordinal;
    this.expiresAtMs = fields.expiresAtMs;
  }

  /** The same state with another holder of the same value. */
  withValue(value: ValueHolder): Entry {
    const { key, createRevision, modRevision, version, ordinal, expiresAtMs } = this;
    return new Entry({ key, value, createRevision, modRevision, version, ordinal, expiresAtMs });
  }
}

export interface EntryEvent extends StoreEvent {
  /** Place of the operation in its transaction. */
  readonly ordinal: number;
  readonly current: Entry | undefined;
  readonly previous: Entry | undefined;
}

export interface Change {
  readonly revision: number;
  readonly events: readonly EntryEvent[];
}
