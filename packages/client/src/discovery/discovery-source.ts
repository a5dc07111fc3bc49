// Discovery as it is kept between questions: when it is read, and when it is not.

import { abortable, type Env } from '@homeostat/base';
import type { Client } from '../client/client.ts';
import { TransportError } from '../transport/transport-error.ts';
import { discover, type Discovery, type DiscoveryCache } from './discovery.ts';

/** A name that is not there is not looked for again sooner: a typing error, or a CRD that is not installed, must not cost a reading each time. */
const missGapMs = 3_000;
const missesMax = 1_000;
const readTimeoutMs = 60_000;

/** One reading; numbers grow in the order in which readings begin. */
interface Reading {
  readonly number: number;
  readonly result: Promise<Discovery>;
}

/** Reads discovery for whoever asks: one reading at a time, shared by all who wait, of at most a minute. */
export class DiscoverySource {
  readonly #client: Client;
  readonly #env: Env;
  readonly #maxAgeMs: number;
  readonly #cache: DiscoveryCache = new Map();
  readonly #missedAtMs = new Map<string, number>();
  #known: { readonly discovery: Discovery; readonly number: number; readonly atMs: number } | undefined;
  #reading: Reading | undefined;
  #begun = 0;
  /** Readings up to this number are void. */
  #voidUpTo = 0;

  constructor(options: { readonly client: Client; readonly env: Env; readonly maxAgeMs: number }) {
    this.#client = options.client;
    this.#env = options.env;
    this.#maxAgeMs = options.maxAgeMs;
  }

  /** Number of readings begun so far: a question notes it, to tell what was read after it was asked. */
  get begun(): number {
    return this.#begun;
  }

  /** What is known. Read when nothing is; when it is too old it is read again, and kept when that fails. */
  async current(signal: AbortSignal | undefined): Promise<Discovery> {
    const known = this.#known;
    if (known === undefined) return this.#readAfter(this.#voidUpTo, signal);
    if (this.#env.clock.monotonicMs() - known.atMs < this.#maxAgeMs) return known.discovery;
    try {
      return await this.#readAfter(known.number, signal);
    } catch (error) {
      signal?.throwIfAborted();
      this.#env.log.warn('discovery could not be read again; the old one is kept', { error });
      return known.discovery;
    }
  }

  /**
   * Discovery for one more look at `what`, which was not found: of a reading that began after the question, unless `what` was missed in the
   * last three seconds. `asked` is {@link begun} as it was when the question came.
   */
  async afterMiss(what: string, asked: number, signal: AbortSignal | undefined): Promise<Discovery> {
    const nowMs = this.#env.clock.monotonicMs();
    const recent = nowMs - (this.#missedAtMs.get(what) ?? -Infinity) < missGapMs;
    if (!recent) this.#noteMiss(what, nowMs);
    const known = this.#known;
    if (known !== undefined && (recent || known.number > asked)) return known.discovery;
    return this.#readAfter(asked, signal);
  }

  /** The next question reads anew. */
  reset(): void {
    this.#known = undefined;
    this.#voidUpTo = this.#begun;
    this.#missedAtMs.clear();
  }

  #noteMiss(what: string, nowMs: number): void {
    this.#missedAtMs.delete(what);
    const [oldest] = this.#missedAtMs.keys();
    if (this.#missedAtMs.size >= missesMax && oldest !== undefined) this.#missedAtMs.delete(oldest);
    this.#missedAtMs.set(what, nowMs);
  }

  /** The result of a reading with a higher number. One under way that is too old is waited for first. */
  async #readAfter(number: number, signal: AbortSignal | undefined): Promise<Discovery> {
    while (this.#reading !== undefined && this.#reading.number <= number)
      await abortable(this.#reading.result.then(ignore, ignore), signal);
    this.#reading ??= this.#begin();
    // The reading belongs to all who wait, so one who gives up does not end it.
    return abortable(this.#reading.result, signal);
  }

  #begin(): Reading {
    const number = ++this.#begun;
    return { number, result: this.#read(number) };
  }

  async #read(number: number): Promise<Discovery> {
    const { clock } = this.#env;
    const stop = new AbortController();
    const timer = clock.setTimer(readTimeoutMs, () => {
      stop.abort(new TransportError('timeout', `discovery could not be read within ${readTimeoutMs} ms`));
    });
    try {
      const discovery = await discover(this.#client, { cache: this.#cache, signal: stop.signal });
      if (number > this.#voidUpTo) this.#known = { discovery, number, atMs: clock.monotonicMs() };
      return discovery;
    } finally {
      timer.cancel();
      this.#reading = undefined;
    }
  }
}

function ignore(): void {}
