// HTTP/1.1 for servers (or proxies) without HTTP/2, plain HTTP, and upgrades. Each request under way has a connection of its own, so a
// watch holds up nobody.

import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import type { ApiRequest, ApiResponse, DuplexConnection } from '../transport/transport.ts';
import type { TlsMaterial } from './http-connection-options.ts';
import { collect, readStream } from './node-streams.ts';
import { toTransportError } from './transport-failure.ts';

const keepAliveMs = 30_000;

export interface Http1RequestOptions {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined;
  readonly streaming: boolean;
}

/** Requests over HTTP/1.1 with kept connections. */
export class Http1Client {
  readonly #url: URL;
  readonly #agent: http.Agent;

  constructor(url: URL, tls: TlsMaterial) {
    this.#url = url;
    const pool = { keepAlive: true, keepAliveMsecs: keepAliveMs, scheduling: 'lifo' } as const;
    this.#agent =
      url.protocol === 'https:'
        ? new https.Agent({ ...pool, ...toNodeTls(tls), ALPNProtocols: ['http/1.1'] })
        : new http.Agent(pool);
  }

  send(request: ApiRequest, { path, headers, body, streaming }: Http1RequestOptions): Promise<ApiResponse> {
    const doing = `${request.method} ${request.path}`;
    const { signal } = request;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => reject(signal.aborted ? signal.reason : toTransportError(error, doing));
      const { request: open } = this.#url.protocol === 'https:' ? https : http;
      const outgoing = open({
        agent: this.#agent,
        host: this.#url.hostname.replace(/^\[|\]$/g, ''),
        port: this.#url.port === '' ? undefined : Number(this.#url.port),
        method: request.method,
        path,
        headers: body instanceof Uint8Array ? { ...headers, 'content-length': body.length } : headers,
        signal,
      });
      outgoing.on('error', fail);
      outgoing.once('response', (incoming) => {
        const response = { status: incoming.statusCode ?? 0, headers: responseHeaders(incoming.headersDistinct) };
        if (streaming) {
          resolve({ ...response, body: { kind: 'stream', chunks: readStream(incoming, signal, doing) } });
          return;
        }
        collect(incoming).then(
          (chunks) =>
            resolve({ ...response, body: chunks.length === 0 ? { kind: 'empty' } : { kind: 'bytes', chunks } }),
          fail,
        );
      });
      outgoing.once('upgrade', (incoming, socket, head) => {
        const response = { status: incoming.statusCode ?? 101, headers: responseHeaders(incoming.headersDistinct) };
        resolve({ ...response, body: { kind: 'upgrade', run: (connection) => joinStreams(socket, head, connection) } });
      });
      if (body === undefined || body instanceof Uint8Array) outgoing.end(body);
      else sendChunks(outgoing, body).catch((error: unknown) => outgoing.destroy(error as Error));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** TLS material under Node's names. */
export function toNodeTls(
  tls: TlsMaterial,
): Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'> {
  return {
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(tls.insecureSkipVerify === true ? { rejectUnauthorized: false } : {}),
  };
}

async function sendChunks(outgoing: http.ClientRequest, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    if (!outgoing.write(chunk)) await new Promise((resolve) => outgoing.once('drain', resolve).once('close', resolve));
    if (outgoing.destroyed) return;
  }
  outgoing.end();
}

/** Passes bytes both ways until either side ends. */
async function joinStreams(socket: Duplex, head: Uint8Array, connection: DuplexConnection): Promise<void> {
  const toServer = (async () => {
    for await (const chunk of connection.incoming) {
      if (!socket.write(chunk)) await new Promise((resolve) => socket.once('drain', resolve).once('close', resolve));
    }
    socket.end();
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
