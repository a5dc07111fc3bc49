// Against a server of Node's own, on the loopback interface: this is the code that meets sockets.

import assert from 'node:assert/strict';
import type http2 from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { createRealEnv } from '@homeostat/base/node';
import { createClient } from '../client/create-client.ts';
import { resourceType } from '../resource/resource-type.ts';
import { readBody } from '../rest/body.ts';
import type { Transport } from '../transport/transport.ts';
import { isTransportError } from '../transport/transport-error.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';
import { startTestServer, type TestServer } from './testing/server-fixture.ts';
import { get } from './testing/test-bed.ts';
import { testCertificate } from './testing/tls-fixture.ts';

const env = createRealEnv({ write: () => {} });
const configMaps = resourceType({
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
});

function answer(request: http2.Http2ServerRequest, response: http2.Http2ServerResponse): void {
  const url = new URL(request.url, 'https://x');
  response.setHeader('content-type', 'application/json');
  if (url.searchParams.get('watch') === 'true') {
    response.writeHead(200);
    response.write('{"type":"ADDED","object":{"kind":"ConfigMap","metadata":{"name":"a"}}}\n{"type":"BOOK');
    response.write('MARK","object":{"metadata":{"resourceVersion":"7"}}}\n');
    return; // stays open
  }
  if (url.pathname.endsWith('/missing')) {
    response.writeHead(404);
    response.end(
      JSON.stringify({
        kind: 'Status',
        status: 'Failure',
        reason: 'NotFound',
        message: 'configmaps "missing" not found',
        code: 404,
      }),
    );
    return;
  }
  const chunks: Uint8Array[] = [];
  request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    response.end(JSON.stringify({ kind: 'ConfigMap', metadata: { name: 'a' }, data: { path: url.pathname, body } }));
  });
}

for (const [name, how] of [
  ['HTTP/2', { secure: true }],
  ['HTTP/1.1 over TLS', { secure: true, h2: false }],
  ['plain HTTP/1.1', { secure: false }],
] as const) {
  describe(`createHttpTransport() over ${name}`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer(answer, how);
    });
    after(() => server.close());

    const withClient = (
      test: (client: ReturnType<typeof createClient>) => Promise<void>,
      more: Partial<HttpTransportOptions> = {},
    ) => withTransport((transport) => test(createClient({ transport, env, userAgent: 'test/1' })), more);
    const withTransport = async (
      test: (transport: Transport) => Promise<void>,
      more: Partial<HttpTransportOptions> = {},
    ) => {
      const transport = createHttpTransport({ server: server.url, env, tls: { ca: testCertificate }, ...more });
      try {
        await test(transport);
      } finally {
        await transport.close();
      }
    };

    it('sends objects and headers, and decodes answers and errors', () =>
      withClient(
        async (client) => {
          const object = { metadata: { name: 'a', namespace: 'x', labels: { k: 'ü<>&' } } };
          const created: unknown = await client.create(configMaps, { object });
          const { data } = created as { data: { path: string; body: string } };
          assert.equal(data.path, '/api/v1/namespaces/x/configmaps');
          assert.deepEqual(JSON.parse(data.body), object);
          await assert.rejects(client.get(configMaps, { namespace: 'x', name: 'missing' }), {
            reason: 'NotFound',
            code: 404,
          });
          const last = server.seen.at(-1) ?? '';
          assert.ok(last.endsWith('Bearer secret'), last);
          assert.ok(last.startsWith(name === 'HTTP/2' ? '2.0' : '1.1'), last);
        },
        { authorize: () => ({ authorization: 'Bearer secret' }) },
      ));

    it('lets open watches hold up nobody, and cancels them', () =>
      withClient(async (client) => {
        const stop = new AbortController();
        const watches = await Promise.all(
          Array.from({ length: 70 }, () => client.watch(configMaps, { namespace: 'x', signal: stop.signal })),
        );
        const [first] = watches;
        assert.ok(first !== undefined);
        const types: string[] = [];
        const reading = (async () => {
          for await (const { type } of first) {
            types.push(type);
            if (type === 'BOOKMARK') stop.abort();
          }
        })();
        await client.get(configMaps, { namespace: 'x', name: 'a' });
        await reading;
        assert.deepEqual(types, ['ADDED', 'BOOKMARK']);
      }));

    it('sends bodies as they come, ends with what their source throws, and lets go of the source', () =>
      withTransport(async (transport) => {
        let released = 0;
        const chunks = async function* (failure?: Error): AsyncGenerator<Uint8Array> {
          try {
            for (let i = 0; i < 100; i++) yield Buffer.alloc(10_000, 'x');
            if (failure !== undefined) throw failure;
          } finally {
            released++;
          }
        };
        const post = (body: AsyncIterable<Uint8Array>) =>
          transport.send({ ...get('/api/v1/x'), method: 'POST', body: { kind: 'stream', chunks: body } });
        const answered = (await readBody(await post(chunks()))) as { readonly data: { readonly body: string } };
        assert.equal(answered.data.body.length, 1_000_000);
        await assert.rejects(post(chunks(new Error('the source broke'))), /the source broke/);
        assert.equal(released, 2);
      }));

    it('gives up when told to', () =>
      withClient(async (client) => {
        const stop = new AbortController();
        stop.abort(new Error('enough'));
        await assert.rejects(client.get(configMaps, { namespace: 'x', name: 'a', signal: stop.signal }), /enough/);
      }));
  });
}

describe('createHttpTransport()', () => {
  it('tells refused, untrusted and broken connections apart', async () => {
    const server = await startTestServer((request) => void request.stream.destroy(), { secure: true });
    const send = async (options: Partial<HttpTransportOptions>): Promise<unknown> => {
      const transport = createHttpTransport({ server: server.url, env, tls: { ca: testCertificate }, ...options });
      try {
        const signal = new AbortController().signal;
        return await transport
          .send({ method: 'POST', path: '/x', query: '', headers: {}, signal })
          .catch((error: unknown) => error);
      } finally {
        await transport.close();
      }
    };
    try {
      assert.ok(isTransportError(await send({}), 'reset'));
      assert.ok(isTransportError(await send({ tls: {} }), 'tls'));
      assert.ok(isTransportError(await send({ server: 'https://127.0.0.1:1' }), 'refused'));
    } finally {
      await server.close();
    }
  });

  it('goes to a new connection when the server closes the old one', async () => {
    let session: http2.Http2Session | undefined;
    const server = await startTestServer(
      (request, response) => {
        session = request.stream.session;
        answer(request, response);
      },
      { secure: true },
    );
    const transport = createHttpTransport({ server: server.url, env, tls: { ca: testCertificate } });
    const client = createClient({ transport, env, userAgent: 'test/1' });
    try {
      for (let i = 0; i < 5; i++) {
        await client.get(configMaps, { namespace: 'x', name: 'a' });
        session?.close();
      }
      assert.equal(server.seen.length, 5);
    } finally {
      await transport.close();
      await server.close();
    }
  });
});
