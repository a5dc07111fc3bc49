// Servers and transports for tests of connections, closed when the file's tests are over.

import { after } from 'node:test';
import { createRealEnv } from '@homeostat/base/node';
import type { ApiRequest, Transport } from '../../transport/transport.ts';
import { createHttpTransport, type HttpTransportOptions } from '../http-transport.ts';
import { startTestServer, type TestHandler, type TestServer, type TestServerOptions } from './server-fixture.ts';
import { testCertificate } from './tls-fixture.ts';

export const env = createRealEnv({ write: () => {} });

const neverAborts = new AbortController().signal;

/** A request as the transport port has it: GET, nothing else. */
export function get(path: string, more: Partial<ApiRequest> = {}): ApiRequest {
  return { method: 'GET', path, query: '', headers: {}, signal: neverAborts, ...more };
}

/** Answered by {@link echo} for as long as it is read. */
export const watch = get('/watch', { query: 'watch=true' });

const closers: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const close of closers.toReversed()) await close();
});

/** Has something closed after the tests, before what came earlier. */
export function closeLater(close: () => Promise<unknown>): void {
  closers.push(close);
}

export async function serve(handler: TestHandler, options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(handler, options);
  closeLater(() => server.close());
  return server;
}

/** A transport that trusts the server. */
export function connect(server: TestServer, options: Partial<HttpTransportOptions> = {}): Transport {
  const transport = createHttpTransport({ server: server.url, env, tls: { ca: testCertificate }, ...options });
  closeLater(() => transport.close());
  return transport;
}

/** Answers `{}`; a watch gets one line and stays open. */
export const echo: TestHandler = (request, response) => {
  if (!request.url.includes('watch=true')) response.end('{}');
  else response.writeHead(200).write('{}\n');
};

/** Reads a stream to its end; what ended it, undefined for a quiet end. */
export async function endOf(chunks: AsyncIterable<Uint8Array>): Promise<unknown> {
  try {
    for await (const _ of chunks);
    return undefined;
  } catch (error) {
    return error;
  }
}
