// The HTTP adapter: one TLS port that serves HTTP/1.1 and HTTP/2, turns requests into the core's shape and answers into
// bytes on the wire. Knows nothing of Kubernetes beyond the request/response port.

import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Env, Timer } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import { readRequest } from './read-request.ts';
import { serveUpgrade } from './serve-upgrade.ts';
import { writeResponse } from './write-response.ts';

export interface ListenerOptions {
  readonly env: Env;
  readonly handle: Handle;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Absent: plain HTTP, for tests and benchmarks behind loopback only. */
  readonly tls?: TlsOptions;
  /** How long open requests may take after the signal to stop. Default 10,000. */
  readonly drainMs?: number;
}

export interface TlsOptions {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** CAs of client certificates; clients are asked for one but need not have it. */
  readonly clientCa?: readonly (string | Buffer)[];
}

export interface Listener {
  readonly address: string;
  readonly port: number;
  /** Serves new connections with another certificate; open ones keep theirs. Nothing on plain HTTP. */
  replaceCertificate(pair: Pick<TlsOptions, 'cert' | 'key'>): void;
  /** Stops accepting, lets requests under way finish, closes. Returns when the last socket is closed. */
  close(): Promise<void>;
}

type AnyServer = http.Server | http2.Http2SecureServer;

/** Listens; resolves when connections are accepted. @throws when the port is taken */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { tls } = options;
  const sockets = new Set<Socket>();
  const sessions = new Set<http2.ServerHttp2Session>();
  const server: AnyServer =
    tls === undefined
      ? http.createServer({ noDelay: true })
      : http2.createSecureServer({
          allowHTTP1: true,
          cert: tls.cert,
          key: tls.key,
          minVersion: 'TLSv1.2',
          ...(tls.clientCa === undefined
            ? {}
            : { ca: [...tls.clientCa], requestCert: true, rejectUnauthorized: false }),
          // Informers of a whole cluster share one connection: they need many streams and roomy windows.
          settings: { maxConcurrentStreams: 1_000, initialWindowSize: 1024 * 1024 },
          maxSessionMemory: 100,
        });
  // Long watches are the core's business; only idle connections are closed here.
  if ('requestTimeout' in server) server.requestTimeout = 0;
  if ('timeout' in server) server.timeout = 0;
  // As long as upstream: a client that uses a connection just when it is closed sees a failure.
  (server as http.Server).keepAliveTimeout = 90_000;
  server.on('request', (incoming: http.IncomingMessage, outgoing: http.ServerResponse) => {
    void serve(incoming, outgoing, options);
  });
  server.on('upgrade', (incoming: http.IncomingMessage, socket: Socket, head: Buffer) => {
    void serveUpgrade(incoming, socket, head, options);
  });
  // Connections as they are accepted: one that never begins its handshake would hold up the end as well.
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}); // a client that resets its connection is no event of ours
    socket.on('close', () => sockets.delete(socket));
    socket.setNoDelay(true);
  });
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => {}));
  if (tls !== undefined) {
    (server as http2.Http2SecureServer).on('session', (session) => {
      sessions.add(session);
      session.on('error', () => {}); // as with sockets
      session.on('close', () => sessions.delete(session));
    });
    server.on('tlsClientError', () => {}); // scanners and health probes that speak no TLS
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host ?? '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  server.on('error', (error) => options.env.log.error('listener failed', { error }));
  const { address, port } = server.address() as AddressInfo;
  return {
    address,
    port,
    replaceCertificate({ cert, key }) {
      if (tls === undefined) return;
      const ca = tls.clientCa === undefined ? {} : { ca: [...tls.clientCa] };
      (server as http2.Http2SecureServer).setSecureContext({ cert, key, minVersion: 'TLSv1.2', ...ca });
    },
    close: () => close(server, sockets, sessions, options),
  };
}

async function serve(
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  options: ListenerOptions,
): Promise<void> {
  const gone = new AbortController();
  // Whether all is written is known here alone: an HTTP/2 stream that its client resets counts as finished to Node.
  let written = false;
  outgoing.on('close', () => {
    if (!written) gone.abort(new Error('the client closed the connection'));
  });
  outgoing.on('error', () => gone.abort(new Error('the connection broke')));
  try {
    const request = readRequest(incoming, gone.signal);
    const response = await options.handle(request);
    // Whoever took too long to send a body is not waited for after the answer either.
    if (response.status === 504 && !incoming.complete && incoming.httpVersionMajor === 1)
      outgoing.setHeader('connection', 'close');
    await writeResponse(request, response, outgoing, gone.signal);
    written = true;
  } catch (error) {
    if (!gone.signal.aborted) options.env.log.warn('request was not answered', { error, path: incoming.url });
    outgoing.destroy();
  }
}

async function close(
  server: AnyServer,
  sockets: ReadonlySet<Socket>,
  sessions: ReadonlySet<http2.ServerHttp2Session>,
  options: ListenerOptions,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const session of sessions) session.close();
  // A kept connection whose answer, or watch, ends from now on becomes idle only then.
  let sweep: Timer | undefined;
  const closeIdle = (): void => {
    if ('closeIdleConnections' in server && typeof server.closeIdleConnections === 'function')
      server.closeIdleConnections();
    sweep = options.env.clock.setTimer(20, closeIdle);
  };
  closeIdle();
  const timer = options.env.clock.setTimer(options.drainMs ?? 10_000, () => {
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
  });
  await closed;
  sweep?.cancel();
  timer.cancel();
}
