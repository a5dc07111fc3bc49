// An open watch: cuts the stream into events and hands them out by number.

import type http from 'node:http';
import { realClock } from '@homeostat/base/node';
import { isProtobuf, keptHeadersOf, type HttpClient } from './http-client.ts';
import type { Answer, Request, Step } from './recording.ts';

const defaultTimeoutMs = 15_000;

export class RecordedWatch {
  /** Status and headers, as soon as they are there. */
  readonly head: Promise<Answer>;
  readonly #request: http.ClientRequest;
  readonly #onlyInitialBookmark: boolean;
  #protobuf = false;
  #unread = Buffer.alloc(0);
  #events: unknown[] = [];
  #ended = false;
  #wakers: (() => void)[] = [];

  constructor(client: HttpClient, request: Request, options: { readonly onlyInitialBookmark: boolean }) {
    this.#onlyInitialBookmark = options.onlyInitialBookmark;
    const head = Promise.withResolvers<Answer>();
    this.head = head.promise;
    this.#request = client.open(
      request,
      (response) => {
        this.#protobuf = isProtobuf(response.headers['content-type']);
        const status = response.statusCode === undefined ? {} : { status: response.statusCode };
        head.resolve({ ...status, headers: keptHeadersOf(response) });
        response.on('data', (chunk: Buffer) => this.#take(chunk));
        response.on('error', () => this.#end());
        response.on('close', () => this.#end());
      },
      (error) => {
        head.resolve({ error: error.message });
        this.#end();
      },
    );
  }

  close(): void {
    this.#request.destroy();
  }

  /** The next `count` events, or all up to the end of the stream; fewer when they do not come in time. */
  async read(step: Pick<Step, 'count' | 'untilEnd' | 'andNoMore' | 'timeoutMs'>): Promise<Answer> {
    const { count = 0, untilEnd = false, andNoMore = 0 } = step;
    await this.#waitFor(
      () => this.#ended || (!untilEnd && this.#events.length >= count),
      step.timeoutMs ?? defaultTimeoutMs,
    );
    const events = this.#events.splice(0, untilEnd ? this.#events.length : count);
    if (andNoMore > 0) {
      // One more moment shows an event too many.
      await realClock.sleep(andNoMore);
      events.push(...this.#events.splice(0));
    }
    return { events, ...(untilEnd ? { ended: this.#ended } : {}) };
  }

  async #waitFor(done: () => boolean, timeoutMs: number): Promise<void> {
    const deadline = realClock.monotonicMs() + timeoutMs;
    while (!done() && realClock.monotonicMs() < deadline) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = realClock.setTimer(deadline - realClock.monotonicMs(), resolve);
      this.#wakers.push(resolve);
      await promise;
      timer.cancel();
    }
  }

  #take(chunk: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, chunk]);
    while (this.#protobuf ? this.#cutFrame() : this.#cutLine());
    this.#wake();
  }

  #cutFrame(): boolean {
    if (this.#unread.length < 4) return false;
    const end = 4 + this.#unread.readUInt32BE(0);
    if (this.#unread.length < end) return false;
    this.#events.push({ base64: this.#unread.subarray(4, end).toString('base64') });
    this.#unread = this.#unread.subarray(end);
    return true;
  }

  #cutLine(): boolean {
    const end = this.#unread.indexOf(10);
    if (end < 0) return false;
    const line = this.#unread.subarray(0, end).toString('utf8');
    this.#unread = this.#unread.subarray(end + 1);
    if (line.trim() !== '' && !this.#isBookmarkByTheClock(line)) this.#events.push(parseEvent(line));
    return true;
  }

  #isBookmarkByTheClock(line: string): boolean {
    return (
      this.#onlyInitialBookmark && line.startsWith('{"type":"BOOKMARK"') && !line.includes('k8s.io/initial-events-end')
    );
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}

function parseEvent(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return { text: line };
  }
}
