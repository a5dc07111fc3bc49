// One handler's end of an informer: delivery in order, merging while the handler is busy, telling again after a failure.
// The fast path (a handler that returns nothing, nothing pending) is one call. An object whose handler fails holds up no other.

import { type Env, InvariantError, type Timer } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { keyOf, type ObjectKey } from '@homeostat/client';
import type { Change, ChangeHandler } from './change.ts';
import { mergeChange, type Pending } from './merge-changes.ts';

export interface ListenerOptions<T extends KubeObject> {
  /** For logs. */
  readonly name: string;
  readonly env: Env;
  readonly handler: ChangeHandler<T>;
}

const retryFirstMs = 1_000;
const retryMaxMs = 30_000;

/** Delivers changes to one handler. Memory: at most two pending changes per object. */
export class Listener<T extends KubeObject = KubeObject> {
  readonly #options: ListenerOptions<T>;
  /** Not yet told, because the handler is busy; in the order in which objects first had something pending. */
  readonly #pending = new Map<ObjectKey, Pending<T>>();
  /** Told without success; told again when the timer fires. */
  readonly #failed = new Map<ObjectKey, Pending<T>>();
  #busy: Promise<void> | undefined;
  /** What is being told. */
  #telling: Change<T> | undefined;
  /** Objects that were waiting to be told of when {@link whenTold} was called. */
  #awaited: { readonly keys: Set<ObjectKey>; readonly done: () => void } | undefined;
  #failures = 0;
  #retry: Timer | undefined;
  #removed = false;

  constructor(options: ListenerOptions<T>) {
    this.#options = options;
  }

  /** Calls `done` when all that waits now has been told once, be it without success. One call at a time. */
  whenTold(done: () => void): void {
    const keys = new Set(this.#pending.keys());
    if (this.#telling !== undefined) keys.add(keyOf(this.#telling.object));
    if (keys.size === 0) done();
    else this.#awaited = { keys, done };
  }

  /** Tells the handler, now or when it has time. */
  notify(change: Change<T>): void {
    if (this.#removed) return;
    if (this.#failed.size > 0 && this.#joinFailed(change)) return;
    if (this.#busy === undefined) this.#deliver(change);
    else this.#keep(change);
  }

  /** Nothing is delivered any more; resolves when a call under way has ended. */
  async remove(): Promise<void> {
    this.#removed = true;
    this.#pending.clear();
    this.#failed.clear();
    this.#awaited = undefined;
    this.#retry?.cancel();
    await this.#busy;
  }

  #keep(change: Change<T>): void {
    const key = keyOf(change.object);
    const merged = mergeChange(this.#pending.get(key) ?? [], change);
    if (merged.length > 0) {
      this.#pending.set(key, merged);
    } else {
      this.#pending.delete(key);
      this.#told(key);
    }
  }

  #told(key: ObjectKey): void {
    const awaited = this.#awaited;
    if (awaited === undefined || !awaited.keys.delete(key) || awaited.keys.size > 0) return;
    this.#awaited = undefined;
    awaited.done();
  }

  #joinFailed(change: Change<T>): boolean {
    const key = keyOf(change.object);
    const failed = this.#failed.get(key);
    if (failed === undefined) return false;
    const merged = mergeChange(failed, change);
    // The handler may have taken in part of an addition it failed on, so the deletion is told even then.
    this.#failed.set(key, merged.length === 0 ? [change] : merged);
    return true;
  }

  #deliver(change: Change<T>): void {
    try {
      const result = this.#options.handler(change);
      if (result === undefined) return;
      this.#telling = change;
      this.#busy = result.then(
        () => this.#drain(),
        (error: unknown) => {
          this.#fail(change, error);
          this.#drain();
        },
      );
    } catch (error) {
      this.#fail(change, error);
    }
  }

  #fail(change: Change<T>, error: unknown): void {
    // A defect of ours, not a failure of the handler's work.
    if (error instanceof InvariantError) throw error;
    const { env, name } = this.#options;
    const key = keyOf(change.object);
    env.log.error('a handler failed and will be told again', { informer: name, key, error });
    if (this.#removed) return;
    this.#failed.set(key, [change]);
    for (const later of this.#pending.get(key) ?? []) this.#joinFailed(later);
    this.#pending.delete(key);
    if (this.#retry !== undefined) return;
    const delayMs = Math.min(retryFirstMs * 2 ** this.#failures++, retryMaxMs);
    this.#retry = env.clock.setTimer(delayMs, () => this.#tellFailed());
  }

  #tellFailed(): void {
    this.#retry = undefined;
    const failed = [...this.#failed];
    this.#failed.clear();
    for (const [key, changes] of failed) {
      let merged = changes;
      for (const later of this.#pending.get(key) ?? []) merged = mergeChange(merged, later);
      this.#pending.set(key, merged);
    }
    if (this.#busy === undefined) this.#drain();
    if (this.#retry === undefined) this.#failures = 0;
  }

  #settled(): void {
    const change = this.#telling;
    this.#telling = undefined;
    if (change === undefined || this.#awaited === undefined) return;
    const key = keyOf(change.object);
    // A deletion before an addition: the addition is still to come.
    if (change.type === 'deleted' && this.#pending.has(key)) return;
    this.#told(key);
  }

  /** Delivers what is pending until the handler is busy or nothing is left. */
  #drain(): void {
    this.#busy = undefined;
    this.#settled();
    while (this.#busy === undefined && !this.#removed) {
      const first = this.#pending.entries().next();
      if (first.done === true) return;
      const [key, [change, ...rest]] = first.value;
      if (rest.length === 0) this.#pending.delete(key);
      else this.#pending.set(key, rest);
      if (change !== undefined) this.#deliver(change);
    }
  }
}
