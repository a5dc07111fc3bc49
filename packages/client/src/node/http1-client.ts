// HTTP/1.1 for servers (or proxies) without HTTP/2, plain HTTP, and upgrades. Each request under way has a connection of its own, so a
// watch holds up nobody.

import http, { type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { ApiRequest, ApiResponse, DuplexConnection } from '../transport/transport.ts';
import { collect, readStream, sendChunks, writeChunk } from './node-streams.ts';
import { proxyAuthorization } from './proxy/proxy-url.ts';
import { TransportError } from '../transport/transport-error.ts';
import { toTransportError } from './transport-failure.ts';
import { toWireHeaders } from './wire-headers.ts';

const keepAliveMs = 30_000;
/** Silence after our end of an upgraded connection was closed. */
const hangUpAfterMs = 5_000;

export interface Http1RequestOptions {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly streaming: boolean;
}

export interface Http1ClientOptions {
  /** The API server. */
  readonly url: URL;
  /** Opens a connection to it, or to `forwardProxy`. */
  readonly dial: () => Promise<Socket>;
  /** An http proxy that is asked for the whole URL, as plain http goes through proxies; `dial` connects to it. */
  readonly forwardProxy?: URL | undefined;
}

/** Requests over HTTP/1.1 with kept connections. */
export class Http1Client {
  readonly #options: Http1ClientOptions;
  readonly #agent: http.Agent;
  readonly #streams = new Set<http.IncomingMessage>();

  constructor(options: Http1ClientOptions) {
    this.#options = options;
    this.#agent = new DialingAgent(options.dial);
  }

  send(request: ApiRequest, { path, headers, body, streaming }: Http1RequestOptions): Promise<ApiResponse> {
    const doing = `${request.method} ${request.path}`;
    const { signal } = request;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(signal.aborted ? signal.reason : toTransportError(error, doing));
      const { url, forwardProxy } = this.#options;
      const outgoing = http.request({
        agent: this.#agent,
        method: request.method,
        path: forwardProxy === undefined ? path : `${url.origin}${path}`,
        headers: {
          host: url.host,
          ...toWireHeaders(headers),
          ...(body instanceof Uint8Array ? { 'content-length': body.length } : {}),
          ...(forwardProxy === undefined ? {} : proxyAuthorization(forwardProxy)),
        },
        signal,
      });
      outgoing.on('error', fail);
      // The first bytes go out after this event.
      outgoing.once('socket', () => {
        try {
          request.beforeSend?.();
        } catch (error) {
          reject(error);
          outgoing.destroy();
        }
      });
      outgoing.once('response', (incoming) => {
        const response = { status: incoming.statusCode ?? 0, headers: responseHeaders(incoming.headersDistinct) };
        if (streaming) {
          this.#streams.add(incoming);
          incoming.once('close', () => this.#streams.delete(incoming));
          resolve({ ...response, body: { kind: 'stream', chunks: readStream(incoming, signal, doing) } });
          return;
        }
        collect(incoming).then(
          (chunks) =>
            resolve({ ...response, body: chunks.length === 0 ? { kind: 'empty' } : { kind: 'bytes', chunks } }),
          fail,
        );
      });
      outgoing.once('upgrade', (incoming, duplex, head) => {
        const socket = duplex as Socket;
        if (request.headers['upgrade'] === undefined) {
          socket.on('error', () => {}).destroy();
          reject(new TransportError('protocol', `${doing}: the server switched protocols unasked`));
          return;
        }
        const response = { status: incoming.statusCode ?? 101, headers: responseHeaders(incoming.headersDistinct) };
        // The agent and the request have let go of this socket.
        const onAbort = (): void => void socket.destroy();
        signal.addEventListener('abort', onAbort, { once: true });
        socket.once('close', () => signal.removeEventListener('abort', onAbort));
        // It may break before `run` reads it, which then hears of it.
        socket.on('error', () => {});
        if (signal.aborted) onAbort();
        resolve({ ...response, body: { kind: 'upgrade', run: (connection) => joinStreams(socket, head, connection) } });
      });
      if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
      else sendChunks(outgoing, body);
    });
  }

  /** Takes no more requests. Those under way end on their connections; streams are ended with `reason`. */
  retire(reason: Error): void {
    this.#agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    for (const stream of this.#streams) stream.destroy(reason);
  }

  /** Closes every connection at once. */
  close(): void {
    this.#agent.destroy();
  }
}

/** An agent whose sockets come from `dial`, TLS and proxies included. */
class DialingAgent extends http.Agent {
  readonly #dial: () => Promise<Socket>;

  constructor(dial: () => Promise<Socket>) {
    super({ keepAlive: true, keepAliveMsecs: keepAliveMs, scheduling: 'lifo' });
    this.#dial = dial;
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback: (error: Error | null, stream: Duplex) => void,
  ): null {
    this.#dial().then(
      (socket) => callback(null, socket),
      // Without a socket there is an error; Node's type asks for both.
      (error: unknown) => callback(error as Error, undefined as unknown as Duplex),
    );
    return null;
  }
}

/** Passes bytes both ways until either side ends; a server that does not hang up after us is hung up on. */
async function joinStreams(socket: Socket, head: Uint8Array, connection: DuplexConnection): Promise<void> {
  const toServer = (async () => {
    for await (const chunk of connection.incoming) await writeChunk(socket, chunk);
    socket.end();
    socket.setTimeout(hangUpAfterMs, () => socket.destroy());
  })();
  try {
    if (head.length > 0) await connection.write(head);
    for await (const chunk of socket) await connection.write(chunk as Uint8Array);
  } finally {
    socket.destroy();
    await connection.close();
  }
  await toServer;
}

function responseHeaders(headers: NodeJS.Dict<string[]>): Record<string, string | readonly string[]> {
  const plain: Record<string, string | readonly string[]> = {};
  for (const [name, values] of Object.entries(headers)) {
    if (values !== undefined)
      plain[name] = values.length === 1 ? (values[0] ?? '') : name === 'warning' ? values : values.join(', ');
  }
  return plain;
}
