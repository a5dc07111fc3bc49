// The HTTP/2 connections of one lane: as many as the streams under way need, one is opened at a time.

import { abortable } from '@homeostat/base';
import type { ApiRequest, ApiResponse } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import { type Http2Connection, type Http2RequestOptions, RefusedStreamError } from './http2-connection.ts';

/** Refusals of one request at most. */
const refusalsMax = 3;

export interface Http2PoolOptions {
  /** Opens a connection; undefined when the server speaks no HTTP/2. It is told when the connection has closed. */
  readonly open: (onClose: (connection: Http2Connection) => void) => Promise<Http2Connection | undefined>;
  /**
   * A request that ended without an answer, given up or broken, was the last of its connection, which may be dead. For requests with a
   * deadline that is shorter than a ping takes.
   */
  readonly wary?: boolean;
}

/** Sends requests over any connection with room. */
export class Http2Pool {
  readonly #open: Http2PoolOptions['open'];
  readonly #wary: boolean;
  #connections: readonly Http2Connection[] = [];
  #connecting: Promise<boolean> | undefined;

  constructor(options: Http2PoolOptions) {
    this.#open = options.open;
    this.#wary = options.wary === true;
  }

  get size(): number {
    return this.#connections.length;
  }

  /**
   * Sends a request; undefined when the server speaks no HTTP/2. A request that surely was not taken up (refused, or above the last stream
   * of a GOAWAY) goes to another connection, whatever its method.
   * @throws TransportError; the signal's reason.
   */
  async send(request: ApiRequest, options: Http2RequestOptions): Promise<ApiResponse | undefined> {
    for (let refusals = 0; ;) {
      const connection = this.#connections.find(({ hasRoom }) => hasRoom);
      if (connection === undefined) {
        if (!(await this.#connect(request.signal))) return undefined;
        continue;
      }
      request.beforeSend?.();
      try {
        return await connection.send(request, options);
      } catch (error) {
        if (!(error instanceof RefusedStreamError)) {
          if (this.#wary) connection.retire();
          throw error;
        }
        const repeatable = options.body === undefined || options.body instanceof Uint8Array;
        if (++refusals < refusalsMax && repeatable) continue;
        throw new TransportError('refused', `${error.message}: the server refused the stream ${refusals} times`, {
          cause: error,
        });
      }
    }
  }

  /** All connections take no more requests; streams are ended with `reason`. */
  retire(reason: Error): void {
    for (const connection of this.#connections) connection.retire(reason);
  }

  /** Ends all connections at once. */
  async destroy(): Promise<void> {
    for (const connection of this.#connections) connection.destroy();
    await this.#connecting?.catch(() => undefined);
    for (const connection of this.#connections) connection.destroy();
  }

  /** Opens one more connection; callers that come meanwhile share the attempt. */
  #connect(signal: AbortSignal): Promise<boolean> {
    this.#connecting ??= this.#add().finally(() => (this.#connecting = undefined));
    return abortable(this.#connecting, signal);
  }

  async #add(): Promise<boolean> {
    const connection = await this.#open((closed) => {
      this.#connections = this.#connections.filter((other) => other !== closed);
    });
    if (connection === undefined) return false;
    if (!connection.hasRoom) {
      // One more would be like it, and one more, for as long as there are requests.
      connection.destroy();
      throw new TransportError('refused', 'the server takes no requests on a new connection');
    }
    this.#connections = [...this.#connections, connection];
    return true;
  }
}
