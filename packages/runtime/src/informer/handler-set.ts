// The handlers of one informer: who is told, who is still being caught up, and when each one's resync is due.
// It orders nothing: the informer calls it from its pump.

import { createDeferred, type Deferred, type Env, type Pacer, type Timer } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import type { Change, ChangeHandler } from './change.ts';
import { Listener } from './listener.ts';

/** One handler's place. */
export interface Handler<T extends KubeObject> {
  readonly listener: Listener<T>;
  /** 0: never. */
  readonly resyncPeriodMs: number;
  nextResyncMs: number;
  /** Whether it is told of changes: from the start, or once it has been caught up. */
  attached: boolean;
  /** Whether it has been told of everything there was when it came. */
  synced: boolean;
  readonly whenSynced: Deferred<void>;
}

export interface HandlerSetOptions {
  /** For logs. */
  readonly name: string;
  readonly env: Env;
  /** Resyncs of these handlers are due: do them in order with everything else. */
  readonly onResyncDue: () => void;
}

const resyncLeastMs = 1_000;

/** Handlers, told one after the other. */
export class HandlerSet<T extends KubeObject> {
  readonly #options: HandlerSetOptions;
  readonly #handlers = new Set<Handler<T>>();
  #due: readonly Handler<T>[] = [];
  #timer: Timer | undefined;
  #running = false;

  constructor(options: HandlerSetOptions) {
    this.#options = options;
  }

  /** Adds a handler. @param attached whether it is told from now on; else {@link attach} must catch it up */
  add(handle: ChangeHandler<T>, options: { readonly resyncPeriodMs: number; readonly attached: boolean }): Handler<T> {
    const { name, env } = this.#options;
    const resyncPeriodMs = options.resyncPeriodMs === 0 ? 0 : Math.max(options.resyncPeriodMs, resyncLeastMs);
    const handler: Handler<T> = {
      listener: new Listener({ name, env, handler: handle }),
      resyncPeriodMs,
      nextResyncMs: env.clock.monotonicMs() + resyncPeriodMs,
      attached: options.attached,
      synced: false,
      whenSynced: createDeferred<void>(),
    };
    this.#handlers.add(handler);
    this.#schedule();
    return handler;
  }

  async remove(handler: Handler<T>): Promise<void> {
    this.#handlers.delete(handler);
    await handler.listener.remove();
  }

  tell(change: Change<T>): void {
    for (const handler of this.#handlers) if (handler.attached) handler.listener.notify(change);
  }

  /** The first list has been told to all attached handlers. */
  markSynced(): void {
    for (const handler of this.#handlers) if (handler.attached) this.#markWhenTold(handler);
  }

  /** Tells a handler that came late of what is there; from then on it is told of changes. */
  async attach(
    handler: Handler<T>,
    objects: Iterable<T>,
    options: { readonly synced: boolean; readonly pacer: Pacer },
  ): Promise<void> {
    for (const object of objects) {
      handler.listener.notify({ type: 'added', object, initial: true });
      if (options.pacer.due()) await options.pacer.yield();
    }
    handler.attached = true;
    if (options.synced) this.#markWhenTold(handler);
  }

  #markWhenTold(handler: Handler<T>): void {
    handler.listener.whenTold(() => {
      handler.synced = true;
      handler.whenSynced.resolve();
    });
  }

  /** Tells the handlers whose resync is due of every object. */
  async resync(objects: Iterable<T>, pacer: Pacer): Promise<void> {
    const due = this.#due;
    this.#due = [];
    for (const object of objects) {
      for (const handler of due) if (handler.attached) handler.listener.notify({ type: 'resync', object });
      if (pacer.due()) await pacer.yield();
    }
  }

  /** Resyncs are timed from now on. */
  start(): void {
    this.#running = true;
    this.#schedule();
  }

  /** Ends all; resolves when calls under way have ended. */
  async stop(): Promise<void> {
    this.#running = false;
    this.#timer?.cancel();
    await Promise.all(Array.from(this.#handlers, (handler) => handler.listener.remove()));
  }

  /** One timer, for the handler that is due first. */
  #schedule(): void {
    this.#timer?.cancel();
    let nextMs = Infinity;
    for (const { resyncPeriodMs, nextResyncMs } of this.#handlers) {
      if (resyncPeriodMs > 0) nextMs = Math.min(nextMs, nextResyncMs);
    }
    if (!this.#running || nextMs === Infinity) return;
    const { clock } = this.#options.env;
    this.#timer = clock.setTimer(nextMs - clock.monotonicMs(), () => {
      const nowMs = clock.monotonicMs();
      const due = new Set(this.#due);
      for (const handler of this.#handlers) {
        if (handler.resyncPeriodMs === 0 || handler.nextResyncMs > nowMs) continue;
        handler.nextResyncMs = nowMs + handler.resyncPeriodMs;
        due.add(handler);
      }
      this.#due = [...due];
      this.#options.onResyncDue();
      this.#schedule();
    });
  }
}
