// One open watch of a reflector, and the three clocks that end it when the connection is dead without saying so: no answer to the
// request, a lifetime longer than asked for, and silence after bookmarks (which servers send about once a minute).

import { abortable, type Clock, type Timer } from '@homeostat/base';
import type { KubeObject, WatchEvent } from '@homeostat/machinery';
import { TransportError } from '@homeostat/client';

/** A server that has not answered a watch request by then is taken for dead. */
export const openTimeoutMs = 60_000;
/** How much longer than asked for a watch may live before the connection counts as dead. */
export const overtimeMs = 30_000;
/** A watch that has carried a bookmark (other than the end of a streamed list) and then nothing for this long counts as dead. */
export const silenceMaxMs = 150_000;

/** A source that has not ended its stream by then, though told to, is left alone. */
const closeTimeoutMs = 1_000;

/** Opens a watch, given the signal that ends it. */
export type OpenStream<T extends KubeObject> = (signal: AbortSignal) => Promise<AsyncIterable<WatchEvent<T>>>;

/** An open watch. */
export class WatchConnection<T extends KubeObject> {
  readonly #clock: Clock;
  readonly #controller: AbortController;
  readonly #iterator: AsyncIterator<WatchEvent<T>>;
  readonly #detach: () => void;
  readonly #lifetime: Timer;
  #silence: Timer | undefined;
  #heardAtMs = 0;
  #abandon: ((result: IteratorReturnResult<undefined>) => void) | undefined;

  private constructor(options: {
    readonly clock: Clock;
    readonly controller: AbortController;
    readonly iterator: AsyncIterator<WatchEvent<T>>;
    readonly detach: () => void;
    readonly lifetimeMs: number;
  }) {
    this.#clock = options.clock;
    this.#controller = options.controller;
    this.#iterator = options.iterator;
    this.#detach = options.detach;
    this.#lifetime = this.#clock.setTimer(options.lifetimeMs + overtimeMs, () => this.cut());
    const abandon = (): void => this.#abandon?.({ done: true, value: undefined });
    this.#controller.signal.addEventListener('abort', abandon, { once: true });
  }

  /**
   * Opens a watch that is to live for `lifetimeMs`. @throws what the server or the transport said; a TransportError when there is no
   * answer in time; the signal's reason.
   */
  static async open<T extends KubeObject>(
    openStream: OpenStream<T>,
    options: { readonly clock: Clock; readonly lifetimeMs: number; readonly signal: AbortSignal },
  ): Promise<WatchConnection<T>> {
    const { clock, lifetimeMs, signal } = options;
    const controller = new AbortController();
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const detach = (): void => signal.removeEventListener('abort', onAbort);
    const deadline = clock.setTimer(openTimeoutMs, () => {
      controller.abort(new TransportError('timeout', `no answer to a watch request within ${openTimeoutMs} ms`));
    });
    try {
      signal.throwIfAborted();
      const opening = openStream(controller.signal);
      const events = await abortable(opening, controller.signal).catch((error: unknown) => {
        // A source that opens its stream though told not to: it is ended unread.
        opening.then((late) => late[Symbol.asyncIterator]().return?.()).catch(() => {});
        throw error;
      });
      return new WatchConnection({ clock, controller, iterator: events[Symbol.asyncIterator](), detach, lifetimeMs });
    } catch (error) {
      detach();
      controller.abort(error);
      throw error;
    } finally {
      deadline.cancel();
    }
  }

  /** The next event; over at once when the stream is cut, even if its source does not notice. */
  next(): Promise<IteratorResult<WatchEvent<T>>> {
    return new Promise((resolve, reject) => {
      if (this.#controller.signal.aborted) {
        resolve({ done: true, value: undefined });
        return;
      }
      this.#abandon = resolve;
      this.#iterator.next().then((result) => {
        if (result.done !== true) this.#heard(result.value);
        resolve(result);
      }, reject);
    });
  }

  /** Ends the stream: `next` then says that it is over. */
  cut(): void {
    this.#controller.abort();
  }

  /** Ends the stream and resolves when the connection has let go of it, or does not do so in time. */
  async close(): Promise<void> {
    this.#lifetime.cancel();
    this.#silence?.cancel();
    this.#detach();
    this.#controller.abort();
    const ended = this.#iterator.return?.();
    if (ended === undefined) return;
    // How it ends no longer matters.
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = this.#clock.setTimer(closeTimeoutMs, resolve);
    await Promise.race([ended.catch(() => {}), late]);
    timer.cancel();
  }

  #heard(event: WatchEvent<T>): void {
    this.#heardAtMs = this.#clock.monotonicMs();
    if (isPeriodicBookmark(event)) this.#silence ??= this.#listen(silenceMaxMs);
  }

  /** One timer for many events: it looks at when the last one came. */
  #listen(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => {
      const silentMs = this.#clock.monotonicMs() - this.#heardAtMs;
      if (silentMs >= silenceMaxMs) this.cut();
      else this.#silence = this.#listen(silenceMaxMs - silentMs);
    });
  }
}

/** The bookmark that ends a streamed list says nothing about others to come. */
function isPeriodicBookmark({ type, object }: WatchEvent): boolean {
  return type === 'BOOKMARK' && object?.metadata?.annotations === undefined;
}
