// One HTTP/2 connection: requests as streams, health by ping. A connection that was silent for 25 to 30 s is pinged, and is dead when no
// answer comes in 15 s; so a half-open one is found within 45 s of its last byte (client-go's numbers). A request that is given up before its
// answer has come has it pinged at once. Without a stream for 90 s it closes.

import http2 from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Env, Timer } from '@homeostat/base';
import type { ApiRequest, ApiResponse } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import { collect, readStream, sendChunks } from './node-streams.ts';
import { toTransportError } from './transport-failure.ts';
import { toWireHeaders } from './wire-headers.ts';

/** Streams of one connection at most, below what servers allow (kube-apiserver: 100 or 250). */
export const streamsMax = 64;
const windowBytes = 1 << 20;
const lookEveryMs = 5_000;
const pingAfterMs = 25_000;
const pingTimeoutMs = 15_000;
const idleMaxMs = 90_000;

/** A stream that the server did not take up: nothing has happened, it may go elsewhere. */
export class RefusedStreamError extends Error {
  override readonly name = 'RefusedStreamError';
}

export interface Http2RequestOptions {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** The answer is read as it comes. */
  readonly streaming: boolean;
}

/** A connection in use. */
export class Http2Connection {
  readonly #session: http2.ClientHttp2Session;
  readonly #socket: TLSSocket;
  readonly #env: Env;
  readonly #onClose: () => void;
  #streams = 0;
  /** Answers that are read as they come. */
  readonly #streaming = new Set<http2.ClientHttp2Stream>();
  /** Streams above were not taken up by a server that goes away. */
  #lastStreamId = Infinity;
  #retired = false;
  #health: Timer | undefined;
  /** Runs out when a ping stays without an answer. */
  #pinged: Timer | undefined;
  #seenBytes = 0;
  #failure: unknown;

  constructor(options: {
    readonly socket: TLSSocket;
    readonly authority: string;
    readonly env: Env;
    readonly onClose: () => void;
  }) {
    this.#socket = options.socket;
    this.#env = options.env;
    this.#onClose = options.onClose;
    this.#session = http2.connect(options.authority, {
      createConnection: () => options.socket,
      settings: { enablePush: false, initialWindowSize: windowBytes },
    });
    // A stream nobody reads holds back its own window, never the others'.
    this.#session.once('connect', () => this.#session.setLocalWindowSize(windowBytes * streamsMax));
    this.#session.on('goaway', (_code, lastStreamId) => {
      this.#lastStreamId = lastStreamId ?? Infinity;
      this.retire();
    });
    this.#session.on('error', (error) => (this.#failure = error));
    this.#session.once('close', () => {
      this.#retired = true;
      this.#health?.cancel();
      this.#pinged?.cancel();
      this.#onClose();
    });
    this.#watchHealth();
  }

  /** Resolves when the server has said how many streams it takes, which is the first thing it says. @throws when it closes first. */
  async settled(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#session.once('remoteSettings', () => resolve());
    this.#session.once('close', () => reject(this.#failure ?? new Error('the connection was closed')));
    await promise;
  }

  /** Whether one more request may use it. */
  get hasRoom(): boolean {
    const allowed = this.#session.remoteSettings?.maxConcurrentStreams ?? streamsMax;
    return (
      !this.#retired &&
      !this.#session.closed &&
      !this.#session.destroyed &&
      this.#streams < Math.min(streamsMax, allowed)
    );
  }

  get streams(): number {
    return this.#streams;
  }

  /** Takes no more requests; closes when those under way are over. With a reason, streams are ended with it at once. */
  retire(reason?: Error): void {
    this.#retired = true;
    if (reason !== undefined) for (const stream of this.#streaming) stream.destroy(reason);
    if (!this.#session.closed) this.#session.close();
  }

  destroy(): void {
    this.#retired = true;
    this.#session.destroy();
  }

  /** Sends a request. @throws RefusedStreamError when the server surely did nothing; TransportError; the signal's reason. */
  send(request: ApiRequest, options: Http2RequestOptions): Promise<ApiResponse> {
    const { body, streaming } = options;
    const doing = `${request.method} ${request.path}`;
    return new Promise((resolve, reject) => {
      const { signal } = request;
      signal.throwIfAborted();
      const stream = this.#open(request.method, options);
      this.#streams++;
      let answered = false;
      const onAbort = (): void => {
        stream.close(http2.constants.NGHTTP2_CANCEL);
        if (!answered) this.#ping();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      stream.once('close', () => {
        this.#streams--;
        signal.removeEventListener('abort', onAbort);
        // Without an answer and without an error the other side has just hung up.
        reject(
          signal.aborted
            ? signal.reason
            : new TransportError('reset', `${doing}: the stream was closed without an answer`),
        );
      });
      stream.on('error', (error) => {
        if (signal.aborted) reject(signal.reason);
        else if (this.#wasRefused(stream, error)) reject(new RefusedStreamError(doing, { cause: error }));
        else reject(toTransportError(this.#failure ?? error, doing));
      });
      stream.once('response', (headers) => {
        answered = true;
        const response = { status: headers[':status'] ?? 0, headers: responseHeaders(headers) };
        if (streaming) {
          this.#streaming.add(stream);
          stream.once('close', () => this.#streaming.delete(stream));
          resolve({ ...response, body: { kind: 'stream', chunks: readStream(stream, signal, doing) } });
          return;
        }
        collect(stream).then(
          (chunks) =>
            resolve({ ...response, body: chunks.length === 0 ? { kind: 'empty' } : { kind: 'bytes', chunks } }),
          (error: unknown) => reject(signal.aborted ? signal.reason : toTransportError(error, doing)),
        );
      });
      if (body instanceof Uint8Array) stream.end(body);
      else if (body !== undefined) sendChunks(stream, body);
    });
  }

  #wasRefused(stream: http2.ClientHttp2Stream, error: unknown): boolean {
    if (stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM || isGoneAway(error)) return true;
    return stream.id === undefined || stream.id > this.#lastStreamId;
  }

  #open(method: string, { headers, path, body }: Http2RequestOptions): http2.ClientHttp2Stream {
    try {
      return this.#session.request(
        { ...toWireHeaders(headers), ':method': method, ':path': path },
        { endStream: body === undefined },
      );
    } catch (error) {
      if (!isGoneAway(error)) throw error;
      this.#retired = true;
      throw new RefusedStreamError(`${method} ${path}`, { cause: error });
    }
  }

  #watchHealth(): void {
    let silentMs = 0;
    let idleMs = 0;
    const look = (): void => {
      const bytes = this.#socket.bytesRead;
      silentMs = bytes === this.#seenBytes ? silentMs + lookEveryMs : 0;
      this.#seenBytes = bytes;
      idleMs = this.#streams === 0 ? idleMs + lookEveryMs : 0;
      if (idleMs >= idleMaxMs) this.retire();
      if (silentMs >= pingAfterMs) {
        silentMs = 0;
        this.#ping();
      }
      if (!this.#session.destroyed) this.#health = this.#env.clock.setTimer(lookEveryMs, look);
    };
    this.#health = this.#env.clock.setTimer(lookEveryMs, look);
  }

  /** Asks for a sign of life, one question at a time. */
  #ping(): void {
    if (this.#pinged !== undefined || this.#session.destroyed) return;
    const settle = (): void => {
      this.#pinged?.cancel();
      this.#pinged = undefined;
    };
    this.#pinged = this.#env.clock.setTimer(pingTimeoutMs, () => {
      this.#session.destroy(
        new TransportError('reset', `the connection is dead: no answer to a ping in ${pingTimeoutMs} ms`),
      );
    });
    // A ping that can't be sent means that the session is closing anyway.
    if (!this.#session.ping(settle)) settle();
  }
}

function isGoneAway(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ERR_HTTP2_GOAWAY_SESSION' || code === 'ERR_HTTP2_INVALID_SESSION';
}

function responseHeaders(headers: http2.IncomingHttpHeaders): Record<string, string | readonly string[]> {
  const plain: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':')) plain[name] = value;
  }
  return plain;
}
