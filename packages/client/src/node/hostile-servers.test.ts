// Servers that break HTTP, TLS and HTTP/2, over real sockets: every request ends with an error that says what was wrong, and no socket is
// left behind.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createClient } from '../client/create-client.ts';
import { readBody } from '../rest/body.ts';
import { exec } from '../streams/exec.ts';
import { isTransportError, type TransportErrorCode } from '../transport/transport-error.ts';
import { createHttpTransport } from './http-transport.ts';
import { readStream, writeChunk } from './node-streams.ts';
import { Duplex, PassThrough } from 'node:stream';
import { until } from './testing/server-fixture.ts';
import { closeLater, connect, endOf, env, get, serve, watch } from './testing/test-bed.ts';

/** A server that gives this answer to whatever it is asked, and hangs up after it. */
async function answerWith(text: string | Uint8Array): Promise<{ readonly url: string; readonly sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    socket.once('data', () => socket.end(text));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeLater(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

const head = (headers: string): string => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`;
const cutGzip = gzipSync('{"kind":"Pod"}').subarray(0, 15);

describe('createHttpTransport() and servers that speak no proper HTTP', () => {
  const answers: readonly (readonly [string, string | Uint8Array, TransportErrorCode])[] = [
    ['nothing', '', 'reset'],
    ['half a header', 'HTTP/1.1 200 OK\r\nConte', 'reset'],
    ['half a body', `${head('content-length: 100')}{"a":`, 'reset'],
    ['no HTTP', 'lorem ipsum\r\n\r\n', 'protocol'],
    ['an endless header', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`, 'protocol'],
    ['two lengths', `${head('content-length: 2\r\ncontent-length: 3')}{}`, 'protocol'],
    ['a chunk without a length', `${head('transfer-encoding: chunked')}zz\r\n`, 'protocol'],
    ['another protocol, unasked', 'HTTP/1.1 101 Hi\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nhello', 'protocol'],
    [
      'half a gzip',
      Buffer.concat([Buffer.from(head(`content-encoding: gzip\r\ncontent-length: ${cutGzip.length}`)), cutGzip]),
      'protocol',
    ],
  ];
  for (const [name, answer, code] of answers) {
    it(`is ${code} for ${name}`, async () => {
      const { url, sockets } = await answerWith(answer);
      const transport = createHttpTransport({ env, server: url, compression: true });
      closeLater(() => transport.close());
      await assert.rejects(transport.send(get('/api')), (error) => isTransportError(error, code));
      await until(env.clock, () => sockets.size === 0, 'no socket');
    });
  }

  it('says when a WebSocket is none, and hangs up', async () => {
    const { url, sockets } = await answerWith('HTTP/1.1 101 Hi\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n');
    const transport = createHttpTransport({ env, server: url });
    closeLater(() => transport.close());
    const client = createClient({ transport, env, userAgent: 'test' });
    await assert.rejects(exec({ client, env }, { namespace: 'a', name: 'b', command: ['c'] }), /not to this WebSocket/);
    await until(env.clock, () => sockets.size === 0, 'no socket');
  });

  it('says when the server wants no TLS', async () => {
    const { url } = await answerWith('HTTP/1.1 400 Bad Request\r\n\r\n');
    const transport = createHttpTransport({ env, server: url.replace('http:', 'https:') });
    closeLater(() => transport.close());
    await assert.rejects(
      transport.send(get('/')),
      (error) => isTransportError(error, 'tls') && /does not speak TLS/.test(error.message),
    );
  });
});

describe('createHttpTransport() and key material that is none', () => {
  it('says so before it connects', async () => {
    const server = await serve((_, response) => void response.end('{}'));
    const transport = connect(server, { tls: { cert: 'x', key: 'y' } });
    await assert.rejects(
      transport.send(get('/')),
      (error) => isTransportError(error, 'tls') && /PEM/.test(error.message),
    );
    assert.equal(server.connections, 0);
  });
});

describe('createHttpTransport() and HTTP/2 servers', () => {
  it('gives up on a server that takes no streams', async () => {
    const server = await serve((_, response) => void response.end('{}'), { settings: { maxConcurrentStreams: 0 } });
    const transport = connect(server);
    await assert.rejects(transport.send(get('/')), (error) => isTransportError(error, 'refused'));
    assert.equal(server.connections, 1);
    await until(env.clock, () => server.sockets.size === 0, 'no socket');
  });

  it('gives up on a server that says goodbye to every connection', async () => {
    const server = await serve((_, response) => void response.end('{}'));
    server.server.on('session', (session) => session.goaway(0, 0));
    const transport = connect(server);
    await assert.rejects(transport.send(get('/')), (error) => isTransportError(error, 'refused'));
    assert.ok(server.connections <= 3, String(server.connections));
  });
});

for (const protocol of ['auto', 'http1'] as const) {
  describe(`headers over ${protocol}`, () => {
    it('are UTF-8 beyond ASCII, and never left out', async () => {
      const users: unknown[] = [];
      const server = await serve((request, response) => {
        users.push(Buffer.from(String(request.headers['impersonate-user']), 'latin1').toString('utf8'));
        response.end('{}');
      });
      const transport = connect(server, { protocol });
      const as = (user: string) => transport.send(get('/', { headers: { 'impersonate-user': user } }));
      await as('jäne 💥');
      for (const bad of ['a\nb', 'a\0', '\u007f'])
        await assert.rejects(as(bad), /header impersonate-user: its value holds a character/);
      assert.deepEqual(users, ['jäne 💥']);
    });

    it('a log is read as it comes', async () => {
      const server = await serve((_, response) => response.writeHead(200).write('line\n'));
      const transport = connect(server, { protocol });
      const stop = new AbortController();
      const { body } = await transport.send(get('/api/v1/namespaces/a/pods/b/log', { signal: stop.signal }));
      assert.ok(body.kind === 'stream');
      for await (const chunk of body.chunks) {
        assert.equal(Buffer.from(chunk).toString(), 'line\n');
        break;
      }
      stop.abort();
    });

    it('an answer that nobody reads is closed by its `return`', async () => {
      const closed = Promise.withResolvers<void>();
      const server = await serve((_, response) => {
        response.writeHead(200).write('{}\n');
        response.on('close', () => closed.resolve());
      });
      const { body } = await connect(server, { protocol }).send(watch);
      assert.ok(body.kind === 'stream');
      await body.chunks[Symbol.asyncIterator]().return?.();
      await closed.promise;
      assert.equal(await endOf(body.chunks), undefined);
    });
  });
}

describe('readStream()', () => {
  it('ends a read that is under way when its reader lets go', async () => {
    const stream = new PassThrough();
    const iterator = readStream(stream, new AbortController().signal, 'test')[Symbol.asyncIterator]();
    const waiting = iterator.next();
    void iterator.return?.();
    await assert.rejects(waiting, (error) => isTransportError(error));
    assert.equal(stream.destroyed, true);
  });
});

describe('writeChunk()', () => {
  it('waits for a slow reader, leaves no listener, and does not wait for one who is gone', async () => {
    let taken = 0;
    const slow = new Duplex({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        taken++;
        setImmediate(done);
      },
    });
    for (let i = 0; i < 50; i++) await writeChunk(slow, Buffer.from('xx'));
    assert.deepEqual([taken >= 49, slow.listenerCount('close'), slow.listenerCount('drain')], [true, 0, 0]);
    const stuck = new Duplex({ highWaterMark: 1, write: () => {} });
    const writing = writeChunk(stuck, Buffer.from('xx'));
    stuck.destroy();
    await writing;
    await writeChunk(stuck, Buffer.from('xx'));
  });
});

it('readBody() tells an answer that is not JSON', async () => {
  const { url } = await answerWith(`${head('content-type: application/json\r\ncontent-length: 6')}<html>`);
  const transport = createHttpTransport({ env, server: url });
  closeLater(() => transport.close());
  await assert.rejects(readBody(await transport.send(get('/'))), /status 200 is not JSON/);
});
