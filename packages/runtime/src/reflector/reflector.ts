// Stage 1 of the loop: keeps a copy of one resource's state flowing into the FIFO by list and watch. The thin driver of
// `reflector-state.ts`: it does the I/O, keeps at most one watch open, and never ends before its signal aborts.

import { abortable, ApiError, type Env, Pacer, type Status, type Timer } from '@homeostat/base';
import type { KubeObject, WatchEvent } from '@homeostat/machinery';
import { keyOf, type ListPage, type ObjectKey } from '@homeostat/client';
import { createReflectorMetrics, type ReflectorMetrics } from './reflector-metrics.ts';
import type { ReflectorEffect, ReflectorInput, ReflectorState } from './reflector-protocol.ts';
import { createReflectorState, raiseFloor, stepReflector } from './reflector-state.ts';
import { WatchConnection } from './watch-connection.ts';

/** What the reflector needs of a client. */
export interface ListWatcher<T extends KubeObject = KubeObject> {
  listPages(options: {
    readonly resourceVersion: string;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): AsyncIterable<ListPage<T>>;
  watch(options: {
    readonly resourceVersion: string;
    readonly sendInitialEvents: boolean;
    readonly timeoutSeconds: number;
    readonly signal: AbortSignal;
  }): Promise<AsyncIterable<WatchEvent<T>>>;
}

/** Where the state goes: the FIFO. */
export interface ReflectorSink<T extends KubeObject = KubeObject> {
  replace(objects: readonly T[], resourceVersion: string): void;
  upsert(object: T): void;
  delete(object: T): void;
  progress(resourceVersion: string): void;
  /** Undefined, or a promise to await before more is pushed. */
  room(): Promise<void> | undefined;
}

export interface ReflectorOptions<T extends KubeObject = KubeObject> {
  /** For logs, e.g. `pods`. */
  readonly name: string;
  readonly env: Env;
  readonly listWatcher: ListWatcher<T>;
  readonly sink: ReflectorSink<T>;
  /** Objects of another kind are skipped; absent: any. */
  readonly kind?: string;
  /** Lists by streaming when the server can; default true. */
  readonly streaming?: boolean;
  /** How long a watch that fails with 500 InternalError is opened again before a new list, milliseconds; default 0. */
  readonly internalErrorRetryMs?: number;
  /** Hears of every failure, after it was logged. */
  readonly onError?: (error: unknown) => void;
  /** A list came, or a watch was opened. */
  readonly onRecovered?: () => void;
  /** The server turned out not to serve the resource, or to serve it again. */
  readonly onMissing?: (missing: boolean) => void;
}

const pageSize = 500;
/** A streamed list that sends nothing for this long is given up for a plain one. */
const stallMs = 30_000;

/** Lists and watches one resource until aborted. */
export class Reflector<T extends KubeObject = KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #pacer: Pacer;
  #state: ReflectorState;
  #watch: WatchConnection<T> | undefined;
  #content = new Map<ObjectKey, T>();
  #listed: readonly T[] = [];
  #event: WatchEvent<T> | undefined;
  readonly #metrics: ReflectorMetrics;
  #watchStartMs = 0;
  #watchItems = 0;
  /** Cuts the present wait short. */
  #endWait: (() => void) | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#pacer = new Pacer(options.env.clock);
    this.#metrics = createReflectorMetrics(options.name, options.env.metrics);
    this.#state = createReflectorState({
      streaming: options.streaming ?? true,
      ...(options.internalErrorRetryMs === undefined ? {} : { internalErrorRetryMs: options.internalErrorRetryMs }),
    });
  }

  /** The protocol's state, for health and tests. */
  get state(): ReflectorState {
    return this.#state;
  }

  /** Whether a watch is open now. */
  get watching(): boolean {
    return this.#watch !== undefined;
  }

  /** From now on no list older than `version` is taken in: the cache holds something newer than the watch has told of. */
  raiseFloor(version: string): void {
    this.#state = raiseFloor(this.#state, version);
  }

  /** Asks at once for a resource that the server did not serve; otherwise does nothing. */
  lookAgain(): void {
    if (this.#state.missing) this.#endWait?.();
  }

  /** Runs until `signal` aborts; then the watch is closed. Never rejects for the server's sake. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { clock } = this.#options.env;
    let input: ReflectorInput | undefined = { type: 'start' };
    try {
      while (input !== undefined && !signal.aborted) {
        const { state, effects } = stepReflector(this.#state, input, clock.monotonicMs());
        const wasMissing = this.#state.missing;
        this.#state = state;
        if (state.missing !== wasMissing) this.#options.onMissing?.(state.missing);
        input = undefined;
        for (const effect of effects) input = (await this.#perform(effect, signal)) ?? input;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await this.#close();
    }
  }

  /** Effects that wait for something give the next input. */
  async #perform(effect: ReflectorEffect, signal: AbortSignal): Promise<ReflectorInput | undefined> {
    const { env, sink, name } = this.#options;
    switch (effect.do) {
      case 'list':
        return this.#list(effect.resourceVersion, signal);
      case 'stream-list':
        return this.#open(effect.resourceVersion, true, signal);
      case 'open-watch':
        return this.#open(effect.resourceVersion, false, signal);
      case 'next':
        return this.#next(signal);
      case 'close-watch':
        await this.#close();
        return undefined;
      case 'replace':
        sink.replace(this.#listed.length > 0 ? this.#listed : [...this.#content.values()], effect.resourceVersion);
        this.#forgetContent();
        this.#options.onRecovered?.();
        return undefined;
      case 'collect':
        this.#collect();
        return undefined;
      case 'apply':
        if (this.#event?.type === 'DELETED') sink.delete(this.#event.object);
        else if (this.#event !== undefined) sink.upsert(this.#event.object);
        return undefined;
      case 'progress':
        sink.progress(effect.resourceVersion);
        return undefined;
      case 'drop':
        env.log.warn('an event older than what was seen was dropped', { reflector: name });
        return undefined;
      case 'report':
        env.log.warn('failed to list or watch', { reflector: name, error: effect.error });
        this.#options.onError?.(effect.error);
        return undefined;
      case 'wait':
        this.#forgetContent();
        {
          const chance = env.random.float();
          await this.#wait(Math.max(effect.delayMs * (1 + chance), effect.leastMs * (1 + chance / 5)), signal);
        }
        return { type: 'waited' };
    }
  }

  async #wait(delayMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.env.clock.setTimer(delayMs, resolve);
    this.#endWait = resolve;
    try {
      await abortable(promise, signal);
    } finally {
      this.#endWait = undefined;
      timer.cancel();
    }
  }

  async #list(resourceVersion: string, signal: AbortSignal): Promise<ReflectorInput> {
    this.#forgetContent();
    // At a given version the watch cache answers, which does not page; the most recent state is read in pages.
    const limit = resourceVersion === '' ? pageSize : 0;
    const { clock } = this.#options.env;
    const startMs = clock.monotonicMs();
    try {
      let objects: T[] = [];
      let version = '';
      for await (const page of this.#options.listWatcher.listPages({ resourceVersion, limit, signal })) {
        if (page.restarted) objects = [];
        for (const object of page.items) objects.push(object);
        version = page.resourceVersion;
        if (this.#pacer.due()) await this.#pacer.yield();
      }
      this.#listed = objects;
      this.#metrics.listed(objects.length, (clock.monotonicMs() - startMs) / 1000);
      return { type: 'listed', resourceVersion: version };
    } catch (error) {
      signal.throwIfAborted();
      return { type: 'list-failed', error };
    }
  }

  async #open(resourceVersion: string, sendInitialEvents: boolean, signal: AbortSignal): Promise<ReflectorInput> {
    await this.#close();
    this.#forgetContent();
    const { env, listWatcher } = this.#options;
    const timeoutSeconds = 300 + env.random.int(300);
    try {
      this.#watch = await WatchConnection.open<T>(
        (inner) => listWatcher.watch({ resourceVersion, sendInitialEvents, timeoutSeconds, signal: inner }),
        { clock: env.clock, lifetimeMs: timeoutSeconds * 1000, signal },
      );
      this.#watchStartMs = env.clock.monotonicMs();
      this.#watchItems = 0;
      this.#metrics.watchOpened();
      if (!sendInitialEvents) this.#options.onRecovered?.();
      return { type: 'watch-opened' };
    } catch (error) {
      signal.throwIfAborted();
      return { type: 'watch-refused', error };
    }
  }

  async #next(signal: AbortSignal): Promise<ReflectorInput> {
    const watch = this.#watch;
    if (watch === undefined) return { type: 'watch-ended' };
    const room = this.#options.sink.room();
    if (room !== undefined) await abortable(room, signal);
    if (this.#pacer.due()) await this.#pacer.yield();
    for (;;) {
      let result: IteratorResult<WatchEvent<T>>;
      try {
        const next = watch.next();
        result = await (this.#state.phase === 'streaming-list' ? this.#unlessStalled(next, watch) : next);
      } catch (error) {
        signal.throwIfAborted();
        return error === stalled ? { type: 'stalled' } : { type: 'watch-ended', error };
      }
      signal.throwIfAborted();
      if (result.done === true) return { type: 'watch-ended' };
      const input = this.#read(result.value);
      if (input !== undefined) return input;
    }
  }

  /** The event as an input; undefined when it is not what was asked for. */
  #read(event: WatchEvent<T>): ReflectorInput | undefined {
    // The server's answers are not to be trusted to have the right shape.
    const object = event.object as T | null | undefined;
    if (typeof object !== 'object' || object === null) {
      this.#options.env.log.error('an event without an object was skipped', { reflector: this.#options.name });
      return undefined;
    }
    const metadata = object.metadata;
    const version = metadata?.resourceVersion ?? '';
    const { kind } = object;
    if (this.#options.kind !== undefined && kind !== undefined && kind !== this.#options.kind) {
      this.#options.env.log.error('an event of an unexpected kind was skipped', {
        reflector: this.#options.name,
        kind,
      });
      return undefined;
    }
    this.#event = event;
    this.#watchItems++;
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        if (metadata?.name === undefined) {
          this.#options.env.log.error('an event without metadata was skipped', { reflector: this.#options.name });
          return undefined;
        }
        return { type: 'changed', resourceVersion: version, deleted: event.type === 'DELETED' };
      case 'BOOKMARK':
        return {
          type: 'bookmark',
          resourceVersion: version,
          initialEventsEnd: metadata?.annotations?.[initialEventsEnd] === 'true',
        };
      case 'ERROR':
        return { type: 'watch-ended', error: ApiError.fromStatus(object as unknown as Status) };
      default:
        this.#options.env.log.error('an event of an unknown type was skipped', { reflector: this.#options.name });
        return undefined;
    }
  }

  #collect(): void {
    const event = this.#event;
    if (event === undefined) return;
    const key = keyOf(event.object);
    if (event.type === 'DELETED') this.#content.delete(key);
    else this.#content.set(key, event.object);
  }

  async #unlessStalled<R>(next: Promise<R>, watch: WatchConnection<T>): Promise<R> {
    let timer: Timer | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = this.#options.env.clock.setTimer(stallMs, () => {
        reject(stalled);
        watch.cut();
      });
    });
    try {
      return await Promise.race([next, late]);
    } finally {
      timer?.cancel();
    }
  }

  #forgetContent(): void {
    if (this.#content.size > 0) this.#content = new Map();
    this.#listed = [];
    this.#event = undefined;
  }

  async #close(): Promise<void> {
    const watch = this.#watch;
    if (watch === undefined) return;
    this.#watch = undefined;
    this.#metrics.watchEnded(this.#watchItems, (this.#options.env.clock.monotonicMs() - this.#watchStartMs) / 1000);
    await watch.close();
  }
}

const stalled = new Error('a streamed list was silent for too long');
const initialEventsEnd = 'k8s.io/initial-events-end';
