// A transport that does to requests and byte streams what networks, proxies and failing API servers do, at the place in the protocol
// it is told to. It counts what an informer must keep small: requests, and watches open at once.

import { ApiError, type Clock, type Random } from '@homeostat/base';
import { type ApiRequest, type ApiResponse, type Transport, TransportError } from '@homeostat/client';

/** What goes wrong. */
export const wireFaults = [
  'gone-event',
  'http-410',
  'http-429',
  'http-429-retry-after',
  'http-500',
  'http-503',
  'http-401',
  'reset-mid-line',
  'half-open',
  'truncated-json',
  'error-500-event',
  'close-at-once',
  'stale-server',
  'auth-throws',
] as const;
export type WireFault = (typeof wireFaults)[number];

/** Where in the protocol: the first list, a later page of a list, opening a watch, inside an open stream, a later list. */
export const places = ['list', 'page', 'watch-open', 'stream', 'relist'] as const;
export type Place = (typeof places)[number];

export interface WireRequest {
  readonly atMs: number;
  readonly place: Place;
}

export interface FaultyWireOptions {
  readonly inner: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether the informer has its first list. */
  readonly synced: () => boolean;
  /** Pages have at most so many objects, whatever is asked for. */
  readonly pageSize: number;
  /** Share of the changes (not of the objects of a streamed list) that are lost until {@link FaultyWire.heal}: no server should, but caches have been found missing one. */
  readonly swallow?: number;
}

interface Stream {
  end(how: 'end' | 'gone'): void;
}

/** One informer's way to the API server. */
export class FaultyWire implements Transport {
  readonly exchanges = 'bytes';
  readonly requests: WireRequest[] = [];
  /** Watches open at once, at most. */
  watchesMax = 0;
  /** Hears of every request, answer and line: a place where something may be awaited. */
  onStep: (place: Place) => void = () => {};
  /** A list of some time ago: what a server that lags answers. */
  #oldList: string | undefined;
  readonly #options: FaultyWireOptions;
  readonly #streams = new Set<Stream>();
  #fault: { readonly kind: WireFault; readonly place: Place; left: number } | undefined;
  #swallow: number;

  constructor(options: FaultyWireOptions) {
    this.#options = options;
    this.#swallow = options.swallow ?? 0;
  }

  get openWatches(): number {
    return this.#streams.size;
  }

  /** The next `times` requests (or streams) at `place` fail in this way. */
  inject(kind: WireFault, place: Place, times: number): void {
    this.#fault = { kind, place, left: times };
  }

  /** No more faults; streams that are half open stay so. */
  heal(): void {
    this.#fault = undefined;
    this.#swallow = 0;
  }

  /** Keeps the present state of what `path` lists, for a server that lags. */
  async remember(path: string): Promise<void> {
    const { signal } = new AbortController();
    this.#oldList = await readText(
      await this.#options.inner.send({ method: 'GET', path, query: '', headers: {}, signal }),
    );
  }

  /** Ends all open watches as a server does: in the ordinary way, or with 410. */
  endStreams(how: 'end' | 'gone'): void {
    for (const stream of this.#streams) stream.end(how);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  readonly send = async (request: ApiRequest): Promise<ApiResponse> => {
    const query = new URLSearchParams(request.query);
    const watch = query.get('watch') === 'true';
    const place = this.#placeOf(query, watch);
    this.requests.push({ atMs: this.#options.clock.monotonicMs(), place });
    this.onStep(place);
    if (query.has('limit')) query.set('limit', String(this.#options.pageSize));
    const fault = this.#draw(place);
    const refusal =
      fault === undefined ? undefined : await this.#refuse(fault, { watch, place, signal: request.signal });
    if (refusal !== undefined) return refusal;
    request.signal.throwIfAborted();
    if (watch) return this.#watch({ ...request, query: query.toString() }, fault, place);
    const response = await this.#options.inner.send({ ...request, query: query.toString() });
    this.onStep(place);
    return response.status === 200 ? this.#list(response, fault, query) : response;
  };

  #placeOf(query: URLSearchParams, watch: boolean): Place {
    if (query.has('continue')) return 'page';
    if (watch && !query.has('sendInitialEvents')) return 'watch-open';
    return this.#options.synced() ? 'relist' : 'list';
  }

  #draw(place: Place): WireFault | undefined {
    const fault = this.#fault;
    if (fault === undefined || fault.left <= 0 || fault.place !== place) return undefined;
    fault.left--;
    return fault.kind;
  }

  /** Faults that answer the request itself. */
  async #refuse(
    fault: WireFault,
    { watch, place, signal }: { readonly watch: boolean; readonly place: Place; readonly signal: AbortSignal },
  ): Promise<ApiResponse | undefined> {
    switch (fault) {
      case 'http-410':
        return answer(410, 'Expired', 'too old resource version');
      case 'gone-event':
        return watch ? undefined : answer(410, 'Expired', 'too old resource version');
      case 'http-429':
        return answer(429, 'TooManyRequests', 'slow down');
      case 'http-429-retry-after':
        return answer(429, 'TooManyRequests', 'slow down', 1 + this.#options.random.int(5));
      case 'http-500':
        return answer(500, 'InternalError', 'no');
      case 'error-500-event':
        return watch ? undefined : answer(500, 'InternalError', 'no');
      case 'http-503':
        return answer(503, 'ServiceUnavailable', 'starting');
      case 'http-401':
        return answer(401, 'Unauthorized', 'who are you?');
      case 'auth-throws':
        throw new Error('the credential plugin failed');
      case 'half-open':
        if (watch && this.#options.random.int(2) === 0) return undefined;
        return untilAborted(signal);
      case 'stale-server':
        // A server that is behind can't start a watch in its future.
        if (place !== 'watch-open') return undefined;
        return answer(504, 'Timeout', 'Too large resource version: 99, current: 1');
      default:
        return undefined;
    }
  }

  async #list(response: ApiResponse, fault: WireFault | undefined, query: URLSearchParams): Promise<ApiResponse> {
    const text = await readText(response);
    switch (fault) {
      case 'reset-mid-line':
        return stream(response, cutOff(text, this.#options.random.int(text.length)));
      case 'truncated-json':
        return bytes(response, text.slice(0, this.#options.random.int(text.length)));
      case 'close-at-once':
        return bytes(response, '');
      case 'stale-server':
        return bytes(response, query.has('continue') ? text : (this.#oldList ?? text));
      default:
        return bytes(response, text);
    }
  }

  async #watch(request: ApiRequest, atOpen: WireFault | undefined, place: Place): Promise<ApiResponse> {
    const upstream = new AbortController();
    const onAbort = (): void => upstream.abort(request.signal.reason);
    request.signal.addEventListener('abort', onAbort, { once: true });
    const response = await this.#options.inner.send({ ...request, signal: upstream.signal });
    // The client is gone: there is nobody to answer.
    request.signal.throwIfAborted();
    if (response.status !== 200 || response.body.kind !== 'stream') return response;
    const fault = atOpen ?? this.#draw('stream');
    if (fault === 'stale-server' && place !== 'watch-open' && this.#oldList !== undefined) {
      upstream.abort();
      return stream(response, asInitialEvents(this.#oldList, request.signal));
    }
    const after = place === 'watch-open' && atOpen !== undefined ? 0 : this.#options.random.int(8);
    const following = place === 'watch-open';
    return this.#streamed(request, response, { fault, after, following, upstream });
  }

  #streamed(
    request: ApiRequest,
    response: ApiResponse,
    options: {
      readonly fault: WireFault | undefined;
      readonly after: number;
      readonly following: boolean;
      readonly upstream: AbortController;
    },
  ): ApiResponse {
    const ended = Promise.withResolvers<'end' | 'gone'>();
    const handle: Stream = { end: (how) => ended.resolve(how) };
    this.#streams.add(handle);
    this.watchesMax = Math.max(this.watchesMax, this.#streams.size);
    const lines = this.#lines(request.signal, response, { ...options, ended: ended.promise });
    const done = (): void => {
      this.#streams.delete(handle);
      options.upstream.abort();
    };
    request.signal.addEventListener('abort', done, { once: true });
    return stream(response, closing(lines, done));
  }

  async *#lines(
    signal: AbortSignal,
    response: ApiResponse,
    options: {
      readonly fault: WireFault | undefined;
      readonly after: number;
      readonly following: boolean;
      readonly ended: Promise<'end' | 'gone'>;
    },
  ): AsyncGenerator<string, void, void> {
    const { fault, after, ended } = options;
    let { following } = options;
    if (response.body.kind !== 'stream') return;
    const source = toLines(response.body.chunks);
    const aborted = untilAborted(signal);
    aborted.catch(() => {}); // read below, or the stream is over
    for (let count = 0; ; count++) {
      if (fault !== undefined && count >= after && fault !== 'stale-server') {
        const line = fault === 'reset-mid-line' ? await Promise.race([source.next(), aborted]) : undefined;
        yield* breakStream(fault, signal, line?.value ?? '{"type":"ADDED","object":{"kind":"ConfigMap"}}\n');
        return;
      }
      const next = await Promise.race([source.next(), ended, aborted]);
      this.onStep(following ? 'stream' : this.#options.synced() ? 'relist' : 'list');
      if (next === 'end') return;
      if (next === 'gone') {
        yield errorEvent(410, 'Expired');
        return;
      }
      if (next.done === true) return;
      if (next.value.includes('"BOOKMARK"')) following = true;
      else if (following && this.#options.random.float() < this.#swallow) continue;
      // Lines come in pieces.
      const at = this.#options.random.int(next.value.length);
      yield next.value.slice(0, at);
      yield next.value.slice(at);
    }
  }
}

async function* breakStream(fault: WireFault, signal: AbortSignal, line: string): AsyncGenerator<string, void, void> {
  switch (fault) {
    case 'gone-event':
    case 'http-410':
      yield errorEvent(410, 'Expired');
      return;
    case 'error-500-event':
    case 'http-500':
      yield errorEvent(500, 'InternalError');
      return;
    case 'http-429':
      yield errorEvent(429, 'TooManyRequests');
      return;
    case 'http-429-retry-after':
      yield errorEvent(429, 'TooManyRequests', { retryAfterSeconds: 3 });
      return;
    case 'http-503':
      yield errorEvent(503, 'ServiceUnavailable');
      return;
    case 'http-401':
      yield errorEvent(401, 'Unauthorized');
      return;
    case 'reset-mid-line':
      yield line.slice(0, line.length / 2);
      throw new TransportError('reset', 'the connection was reset');
    case 'truncated-json':
      yield `${line.slice(0, line.length / 2)}\n`;
      return;
    case 'half-open':
      await untilAborted(signal);
      return;
    default:
      return;
  }
}

function errorEvent(code: number, reason: string, details: { readonly retryAfterSeconds?: number } = {}): string {
  const object = new ApiError({ code, reason, message: reason, details }).toStatus();
  return `${JSON.stringify({ type: 'ERROR', object })}\n`;
}

/** What a server streams that is as far behind as this list. */
async function* asInitialEvents(list: string, signal: AbortSignal): AsyncGenerator<string, void, void> {
  const { items, metadata } = JSON.parse(list) as {
    readonly items: readonly object[];
    readonly metadata: { readonly resourceVersion: string };
  };
  const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
  for (const item of items) yield `${JSON.stringify({ type: 'ADDED', object: { ...kind, ...item } })}\n`;
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const { resourceVersion } = metadata;
  yield `${JSON.stringify({ type: 'BOOKMARK', object: { ...kind, metadata: { resourceVersion, annotations } } })}\n`;
  await untilAborted(signal);
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function* cutOff(text: string, at: number): AsyncGenerator<string, void, void> {
  yield text.slice(0, at);
  await Promise.resolve();
  throw new TransportError('reset', 'the connection was reset');
}

async function* closing(lines: AsyncIterable<string>, done: () => void): AsyncGenerator<string, void, void> {
  try {
    yield* lines;
  } finally {
    done();
  }
}

async function* toLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of chunks) {
    pending += decoder.decode(chunk, { stream: true });
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) yield `${line}\n`;
  }
}

async function readText(response: ApiResponse): Promise<string> {
  const { body } = response;
  if (body.kind !== 'bytes' && body.kind !== 'stream') return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body.chunks) text += decoder.decode(chunk, { stream: true });
  return text;
}

const encoder = new TextEncoder();

function answer(code: number, reason: string, message: string, retryAfterSeconds?: number): ApiResponse {
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  const status = new ApiError({ code, reason, message, ...details }).toStatus();
  const headers = {
    'content-type': 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  };
  return { status: code, headers, body: { kind: 'bytes', chunks: [encoder.encode(JSON.stringify(status))] } };
}

function bytes(response: ApiResponse, text: string): ApiResponse {
  return { ...response, body: { kind: 'bytes', chunks: [encoder.encode(text)] } };
}

function stream(response: ApiResponse, text: AsyncIterable<string>): ApiResponse {
  const encode = async function* (): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of text) yield encoder.encode(piece);
  };
  return { ...response, body: { kind: 'stream', chunks: encode() } };
}
