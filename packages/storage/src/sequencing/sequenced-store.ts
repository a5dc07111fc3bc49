// The store that all engines share: one place compares, numbers, applies and tells watchers. An engine adds where the
// state comes from and, if it is durable, a commit log.
//
// Two positions matter. The *tip* is what has been sequenced; compares are made against it, so many writes are in
// flight in one commit. The *visible* state is what has been committed; reads and watches see nothing else.
// Without a log the two are one.

import { invariant, InvariantError, type Env } from '@homeostat/base';
import {
  StorageError,
  type Compare,
  type KeyValue,
  type Operation,
  type RangeOptions,
  type RangeResult,
  type Store,
  type TxnResult,
  type ValueHolder,
  type WatchBatch,
  type WatchOptions,
} from '../store.ts';
import type { Change, Entry } from './change.ts';
import type { CommitListener, CommitLog } from './commit-log.ts';
import { Expiry, type Deadline } from './expiry.ts';
import { planTransaction, type Plan } from './plan-transaction.ts';
import type { VersionedMap } from './versioned-map.ts';
import { WatchHub } from './watch-hub.ts';

type Transaction = { readonly compare: readonly Compare[]; readonly operations: readonly Operation[] };

export interface SequencedStoreOptions {
  readonly env: Env;
  readonly state: VersionedMap;
  readonly createLog?: (listener: CommitListener) => CommitLog;
  /** Deadlines of the entries of `state` that have one. */
  readonly deadlines?: readonly Deadline[];
  /** What is kept of a writer's holder; default the holder itself. */
  readonly retain?: (value: ValueHolder) => ValueHolder;
  /** Revisions of history kept at most, whatever the owner compacts; the oldest go. Default 200,000. */
  readonly historyMax?: number;
  /** Writes in flight at most; beyond that `txn` fails with `overloaded`. Default 4,096. */
  readonly pendingMax?: number;
  /** Bytes in flight at most; beyond that `txn` fails with `overloaded`. Default 64 MiB. */
  readonly pendingBytesMax?: number;
}

/** A sequenced transaction that waits for its commit (or for the commit of what it was compared with). */
interface Pending {
  readonly revision: number;
  readonly plan: Plan;
  readonly result: TxnResult;
  resolve(result: TxnResult): void;
  reject(error: StorageError): void;
}

const defaultBufferMax = 10_000;

export class SequencedStore implements Store {
  readonly #env: Env;
  readonly #state: VersionedMap;
  readonly #retain: (value: ValueHolder) => ValueHolder;
  readonly #log: CommitLog | undefined;
  readonly #hub = new WatchHub();
  readonly #expiry: Expiry;
  readonly #historyMax: number;
  readonly #pendingMax: number;
  readonly #pendingBytesMax: number;
  /** Last write in flight of each key that has one; entry undefined = a delete. */
  readonly #overlay = new Map<string, { readonly revision: number; readonly entry: Entry | undefined }>();
  #tip: number;
  #pending: Pending[] = [];
  /** Why writes are refused for good. */
  #refusal: StorageError | undefined;
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor(options: SequencedStoreOptions) {
    this.#env = options.env;
    this.#state = options.state;
    this.#retain = options.retain ?? ((value) => value);
    this.#historyMax = options.historyMax ?? 200_000;
    this.#pendingMax = options.pendingMax ?? 4096;
    this.#pendingBytesMax = options.pendingBytesMax ?? 64 * 1024 * 1024;
    this.#tip = options.state.revision;
    this.#expiry = new Expiry({
      clock: options.env.clock,
      expire: (key, modRevision) => this.#expire(key, modRevision),
    });
    for (const { key, modRevision, atMs } of options.deadlines ?? []) this.#expiry.schedule(key, modRevision, atMs);
    this.#log = options.createLog?.({
      committed: (revision) => this.#onCommitted(revision),
      failed: (error, fatal) => this.#onFailed(error, fatal),
    });
  }

  get revision(): number {
    return this.#state.revision;
  }

  get compactedRevision(): number {
    return this.#state.compactedRevision;
  }

  /** Number of changes kept, for owners that compact by count. */
  get historyLength(): number {
    return this.#state.historyLength;
  }

  async get(
    key: string,
    options: { readonly revision?: number } = {},
  ): Promise<{ readonly item: KeyValue | undefined; readonly revision: number }> {
    this.#assertOpen();
    const item = this.#state.at(options.revision).get(key);
    return { item, revision: options.revision || this.revision };
  }

  async range({ prefix, from = prefix, limit = 0, revision, countOnly = false }: RangeOptions): Promise<RangeResult> {
    this.#assertOpen();
    invariant(from.startsWith(prefix), `a range of ${prefix} cannot start at ${from}`);
    const map = this.#state.at(revision);
    const count = map.count(prefix, from);
    const items = countOnly ? [] : map.collect(prefix, from, limit === 0 ? undefined : limit);
    return { items, revision: revision || this.revision, more: !countOnly && items.length < count, count };
  }

  txn(transaction: Transaction): Promise<TxnResult> {
    try {
      return this.#sequence(transaction);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  watch({ prefix, fromRevision = 0, signal, bufferMax = defaultBufferMax }: WatchOptions): AsyncIterable<WatchBatch> {
    this.#assertOpen();
    const first = fromRevision === 0 ? this.revision + 1 : fromRevision;
    const backlog = this.#state.changesFrom(first);
    return this.#hub.open({ prefix, fromRevision: first, backlog, bufferMax, signal });
  }

  requestProgress(): void {
    this.#hub.progress(this.revision);
  }

  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    if (revision <= this.compactedRevision) return;
    this.#state.compact(revision);
    await this.#log?.compact(revision);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Copy of the visible state and its deadlines, for engines that can be forked. */
  protected forkState(): { readonly state: VersionedMap; readonly deadlines: readonly Deadline[] } {
    return { state: this.#state.fork(), deadlines: this.#expiry.deadlines() };
  }

  #sequence(transaction: Transaction): Promise<TxnResult> {
    this.#assertWritable();
    const plan = planTransaction(
      {
        look: this.#look,
        nextRevision: this.#tip + 1,
        nowMs: this.#env.clock.nowMs(),
        retain: this.#retain,
      },
      transaction,
    );
    const result = resultOf(plan, this.#tip);
    if (plan.type === 'write') {
      this.#tip = plan.change.revision;
      if (this.#log === undefined) {
        this.#makeVisible(plan);
        return Promise.resolve(result);
      }
      for (const { key, revision, current } of plan.change.events) this.#overlay.set(key, { revision, entry: current });
      this.#log.append(plan.change);
    } else if (this.#pending.length === 0) {
      return Promise.resolve(result);
    }
    // A refusal may rest on a write that is not committed yet: nobody may learn of that before it is.
    const { promise, resolve, reject } = Promise.withResolvers<TxnResult>();
    this.#pending.push({ revision: this.#tip, plan, result, resolve, reject });
    return promise;
  }

  readonly #look = (key: string): Entry | undefined => {
    const inFlight = this.#overlay.get(key);
    return inFlight === undefined ? this.#state.current.get(key) : inFlight.entry;
  };

  #makeVisible(plan: Extract<Plan, { type: 'write' }>): void {
    const { change, liveEvents } = plan;
    this.#state.apply(change);
    for (const event of change.events) if (event.current !== undefined) this.#scheduleExpiry(event.current);
    this.#hub.dispatch(change.revision, liveEvents);
    if (this.#state.historyLength > this.#historyMax) this.#dropOldHistory();
  }

  #onCommitted(revision: number): void {
    let done = 0;
    for (const pending of this.#pending) {
      if (pending.revision > revision) break;
      done++;
      if (pending.plan.type === 'write') {
        this.#makeVisible(pending.plan);
        this.#forgetOverlay(pending.plan.change);
      }
      pending.resolve(pending.result);
    }
    this.#pending = this.#pending.slice(done);
  }

  #onFailed(error: StorageError, fatal: boolean): void {
    if (fatal) this.#refusal ??= error;
    const lost = this.#pending;
    this.#pending = [];
    this.#overlay.clear();
    this.#tip = this.revision;
    for (const pending of lost) pending.reject(error);
  }

  #forgetOverlay(change: Change): void {
    for (const event of change.events) {
      if (this.#overlay.get(event.key)?.revision === change.revision) this.#overlay.delete(event.key);
    }
  }

  // A tenth at a time, so that the cost of dropping is spread over many writes.
  #dropOldHistory(): void {
    const revision = this.revision - Math.floor(this.#historyMax * 0.9);
    this.compact(revision).catch((error: unknown) => {
      this.#env.log.warn('compacting history beyond its bound failed', { error, revision });
    });
  }

  #scheduleExpiry(entry: Entry): void {
    if (entry.expiresAtMs > 0) this.#expiry.schedule(entry.key, entry.modRevision, entry.expiresAtMs);
  }

  async #expire(key: string, modRevision: number): Promise<boolean> {
    if (this.#look(key)?.modRevision !== modRevision) return true;
    try {
      await this.txn({ compare: [{ key, modRevision }], operations: [{ type: 'delete', key }] });
      return true;
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      if (!this.#closed) this.#env.log.warn('deleting an expired entry failed', { key, error });
      return false;
    }
  }

  async #close(): Promise<void> {
    this.#expiry.stop();
    this.#refusal ??= closedError();
    try {
      await this.#log?.close();
    } finally {
      this.#closed = true;
      this.#hub.failAll(closedError());
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw closedError();
  }

  #assertWritable(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    if (this.#log === undefined) return;
    if (this.#pending.length < this.#pendingMax && this.#log.pendingBytes < this.#pendingBytesMax) return;
    throw new StorageError(
      'overloaded',
      `${this.#pending.length} writes (${this.#log.pendingBytes} bytes) wait for the disk`,
    );
  }
}

function resultOf(plan: Plan, tip: number): TxnResult {
  switch (plan.type) {
    case 'refused':
      return { succeeded: false, revision: tip, current: plan.current, previous: [] };
    case 'unchanged':
      return { succeeded: true, revision: tip, current: [], previous: plan.previous };
    case 'write':
      return { succeeded: true, revision: plan.change.revision, current: [], previous: plan.previous };
  }
}

function closedError(): StorageError {
  return new StorageError('closed', 'the store is closed');
}
