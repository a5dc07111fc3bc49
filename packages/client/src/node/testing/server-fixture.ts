// A server of Node's own on the loopback interface, for tests: HTTP/2 or 1.1, with its sockets and sessions in sight.

import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { Clock } from '@homeostat/base';
import { testCertificate, testKey } from './tls-fixture.ts';

export type TestHandler = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;

export interface TestServerOptions {
  /** https; default true. */
  readonly secure?: boolean;
  /** Offers HTTP/2; default true where secure. */
  readonly h2?: boolean;
  /** Over the fixture's certificate and key. */
  readonly tls?: TlsOptions;
  readonly settings?: http2.Settings;
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  /** `version METHOD url authorization` of each request, `-` for no authorization. */
  readonly seen: string[];
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** Connections ever made. */
  readonly connections: number;
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>;
  readonly server: Server;
  close(): Promise<void>;
}

export async function startTestServer(handler: TestHandler, options: TestServerOptions = {}): Promise<TestServer> {
  const { secure = true, h2 = secure, settings } = options;
  const seen: string[] = [];
  const listener = (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse): void => {
    seen.push(`${request.httpVersion} ${request.method} ${request.url} ${request.headers.authorization ?? '-'}`);
    handler(request, response);
  };
  const tls = { key: testKey, cert: testCertificate, ...options.tls };
  const http1 = listener as unknown as http.RequestListener;
  const server = !secure
    ? http.createServer(http1)
    : h2
      ? http2.createSecureServer(
          { ...tls, allowHTTP1: true, ...(settings === undefined ? {} : { settings }) },
          listener,
        )
      : https.createServer(tls, http1);
  const sockets = new Set<Socket>();
  const sessions = new Set<http2.ServerHttp2Session>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('session', (session: http2.ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session)).on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${secure ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    seen,
    sockets,
    sessions,
    server,
    get connections() {
      return connections;
    },
    close: async () => {
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves when `done` holds, looked at every 5 ms; fails after ten seconds. */
export async function until(clock: Clock, done: () => boolean, what: string): Promise<void> {
  for (let tries = 0; !done(); tries++) {
    if (tries > 2000) throw new Error(`not in ten seconds: ${what}`);
    await clock.sleep(5);
  }
}
