import assert from 'node:assert/strict';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { once } from 'node:events';
import net from 'node:net';
import { after, before, test } from 'node:test';
import { createGunzip } from 'node:zlib';
import { silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import type { ApiRequest, ApiResponse } from '@homeostat/client';
import { createAuthority, issueCertificate } from '@homeostat/runtime/node';
import { FixtureServer } from '../server/api-server-fixture.ts';
import { listen, type Listener } from '@homeostat/runtime/node';

const env = { ...createRealEnv(), log: silentLogger };
let server: FixtureServer;
let listener: Listener;
before(async () => {
  server = await FixtureServer.start({ env });
  listener = await listen({ env, handle: server.server.handle, port: 0 });
});
after(async () => {
  await Promise.all([listener.close(), server.stop()]);
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const url = (path: string) => `http://127.0.0.1:${listener.port}${path}`;

test('requests and answers cross the wire', async () => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ metadata: { name: 'wired' }, data: { a: 'ü' } });
  const made = await fetch(url(configMaps), { method: 'POST', headers, body });
  assert.equal(made.status, 201);
  assert.match(made.headers.get('audit-id') ?? '', /^[0-9a-f-]{36}$/);
  const got = (await (await fetch(url(`${configMaps}/wired`))).json()) as { data: object };
  assert.deepEqual(got.data, { a: 'ü' });
  const head = await fetch(url(`${configMaps}/wired`), { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [405, '']);
});

test('big answers are compressed for those who can read that', async () => {
  for (let index = 0; index < 3; index++)
    await server.post(configMaps, { metadata: { name: `big-${index}` }, data: { text: 'x'.repeat(100_000) } });
  const request = http.get(url(configMaps), { headers: { 'accept-encoding': 'gzip' } });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  assert.equal(response.headers['content-encoding'], 'gzip');
  const list = JSON.parse(await textOf(response.pipe(createGunzip()))) as { items: object[] };
  assert.ok(list.items.length >= 3);
});

test('watches stream, and end with their client', async () => {
  const stop = new AbortController();
  const response = await fetch(url(`${configMaps}?watch=1&fieldSelector=metadata.name=streamed`), {
    signal: stop.signal,
  });
  const reader = response.body?.getReader();
  assert.ok(reader);
  await server.post(configMaps, { metadata: { name: 'streamed' } });
  const { value } = await reader.read();
  assert.equal((JSON.parse(Buffer.from(value ?? []).toString()) as { type: string }).type, 'ADDED');
  stop.abort();
  await assert.rejects(reader.read());
});

/** A handler that answers with endless bytes and says how much was asked of it. */
function endless(): { readonly handle: (request: ApiRequest) => Promise<ApiResponse>; taken: number; ended: boolean } {
  const state = {
    taken: 0,
    ended: false,
    handle: (request: ApiRequest): Promise<ApiResponse> => {
      async function* chunks(): AsyncGenerator<Uint8Array> {
        const chunk = Buffer.alloc(64 * 1024, 'x');
        try {
          while (!request.signal.aborted) {
            state.taken += chunk.length;
            yield chunk;
          }
        } finally {
          state.ended = true;
        }
      }
      return Promise.resolve({ status: 200, headers: {}, body: { kind: 'stream', chunks: chunks() } });
    },
  };
  return state;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await env.clock.yield();
}

test('a client that does not read holds little, and lets go when it leaves', async () => {
  const source = endless();
  const slow = await listen({ env, handle: source.handle, port: 0 });
  const socket = net.connect(slow.port, '127.0.0.1');
  socket.pause();
  socket.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => source.taken > 0);
  // Grows until the buffers of the connection are full, then stands still.
  for (let still = 0, before = 0; still < 1_000; still = before === source.taken ? still + 1 : 0) {
    before = source.taken;
    await env.clock.yield();
  }
  assert.ok(source.taken < 64 * 1024 * 1024, `${source.taken} bytes were made for nobody`);
  socket.destroy();
  await until(() => source.ended);
  await slow.close();
});

test('a stream that is reset, or whose connection breaks, lets go of what it was about', async () => {
  const validity = { nowMs: env.clock.nowMs(), days: 1 };
  const authority = await createAuthority({ commonName: 'authority' }, validity);
  const pair = await issueCertificate(authority, { commonName: 's', usage: 'server', hosts: ['localhost'] }, validity);
  let open = 0;
  const handle = ({ signal }: ApiRequest): Promise<ApiResponse> => {
    async function* silent(): AsyncGenerator<Uint8Array> {
      open++;
      await once(signal, 'abort');
      open--;
    }
    return Promise.resolve({ status: 200, headers: {}, body: { kind: 'stream', chunks: silent() } });
  };
  const secure = await listen({ env, handle, port: 0, tls: pair });
  const session = http2.connect(`https://127.0.0.1:${secure.port}`, { ca: authority.cert, servername: 'localhost' });
  for (const leave of [(stream: http2.ClientHttp2Stream) => stream.close(8), () => session.destroy()]) {
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => {}); // it is broken off, as intended
    await once(stream, 'response');
    assert.equal(open, 1);
    leave(stream);
    await until(() => open === 0);
  }
  await secure.close();
});

test('closing waits for requests under way', async () => {
  const answer = Promise.withResolvers<ApiResponse>();
  const arrived = Promise.withResolvers<void>();
  const draining = await listen({
    env,
    handle: () => {
      arrived.resolve();
      return answer.promise;
    },
    port: 0,
  });
  const response = fetch(`http://127.0.0.1:${draining.port}/`);
  await arrived.promise;
  let closed = false;
  const closing = draining.close().then(() => (closed = true));
  await assert.rejects(fetch(`http://127.0.0.1:${draining.port}/other`));
  assert.equal(closed, false);
  answer.resolve({ status: 200, headers: {}, body: { kind: 'bytes', chunks: [Buffer.from('late')] } });
  assert.equal(await (await response).text(), 'late');
  await closing;
});

test('closing gives up on requests that do not end', async () => {
  const source = endless();
  const stuck = await listen({ env, handle: source.handle, port: 0, drainMs: 50 });
  const socket = net.connect(stuck.port, '127.0.0.1');
  socket.on('error', () => {}); // it is cut off, as intended
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => source.taken > 0);
  await stuck.close();
  await until(() => source.ended);
});

test('a watch can be had over WebSocket', async () => {
  const socket = new WebSocket(
    `ws://127.0.0.1:${listener.port}${configMaps}?watch=1&fieldSelector=metadata.name=socketed`,
  );
  await once(socket, 'open');
  await server.post(configMaps, { metadata: { name: 'socketed' } });
  const [message] = (await once(socket, 'message')) as [{ readonly data: string }];
  assert.equal((JSON.parse(message.data) as { type: string }).type, 'ADDED');
  socket.close();
  await once(socket, 'close');
});

test('an upgrade of something that is no stream is answered as usual', async () => {
  const request = http.get(url(`${configMaps}/none`), { headers: { connection: 'Upgrade', upgrade: 'websocket' } });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  assert.equal(response.statusCode, 404);
  response.resume();
  await once(response, 'end');
});

test('one TLS port speaks both versions of HTTP and knows who holds a certificate of its authority', async () => {
  const validity = { nowMs: env.clock.nowMs(), days: 1 };
  const authority = await createAuthority({ commonName: 'authority' }, validity);
  const serving = await issueCertificate(
    authority,
    { commonName: 's', usage: 'server', hosts: ['localhost'] },
    validity,
  );
  const client = await issueCertificate(authority, { commonName: 'me', organization: 'us', usage: 'client' }, validity);
  const handle = ({ peer }: ApiRequest): Promise<ApiResponse> => {
    const { commonName = 'nobody', organizations = [] } = peer?.clientCertificate ?? {};
    const text = [commonName, ...organizations].join();
    return Promise.resolve({ status: 200, headers: {}, body: { kind: 'bytes', chunks: [Buffer.from(text)] } });
  };
  const secure = await listen({ env, handle, port: 0, tls: { ...serving, clientCa: [authority.cert] } });
  const trusting = { ca: authority.cert, servername: 'localhost' };
  const session = http2.connect(`https://127.0.0.1:${secure.port}`, { ...trusting, ...client });
  const stream = session.request({ ':path': '/' });
  assert.equal(await textOf(stream), 'me,us');
  const request = https.get({ host: '127.0.0.1', port: secure.port, path: '/', agent: false, ...trusting });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  assert.deepEqual([response.httpVersion, await textOf(response)], ['1.1', 'nobody']);
  session.close();
  await secure.close();
});

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
