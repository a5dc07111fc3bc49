// What becomes of connections: proxies, rotation, GOAWAY, lanes, dead peers, closing. Over sockets on the loopback interface.

import assert from 'node:assert/strict';
import http2 from 'node:http2';
import net from 'node:net';
import { after, describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import type { ApiRequest, Transport } from '../transport/transport.ts';
import { isTransportError } from '../transport/transport-error.ts';
import type { TlsMaterial } from './http-connection-options.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';
import { startHttpProxy, startSocksProxy } from './testing/proxy-fixture.ts';
import {
  startTestServer,
  type TestHandler,
  type TestServer,
  type TestServerOptions,
  until,
} from './testing/server-fixture.ts';
import { janeCertificate, janeKey, otherCertificate, otherKey, testCertificate } from './testing/tls-fixture.ts';

const env = createRealEnv({ write: () => {} });
const signal = new AbortController().signal;
const get = (path: string, more: Partial<ApiRequest> = {}): ApiRequest => ({
  method: 'GET',
  path,
  query: '',
  headers: {},
  signal,
  ...more,
});
const watch = get('/watch', { query: 'watch=true' });

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers.toReversed()) await close();
});
const serve = async (handler: TestHandler, options: TestServerOptions = {}): Promise<TestServer> => {
  const server = await startTestServer(handler, options);
  closers.push(() => server.close());
  return server;
};
const connect = (server: TestServer, options: Partial<HttpTransportOptions> = {}): Transport => {
  const transport = createHttpTransport({ server: server.url, env, tls: { ca: testCertificate }, ...options });
  closers.push(() => transport.close());
  return transport;
};
const echo: TestHandler = (request, response) => {
  if (request.url.includes('watch=true')) {
    response.writeHead(200);
    response.write('{}\n');
    return;
  }
  response.setHeader('groups', JSON.stringify(request.headers['impersonate-group'] ?? ''));
  response.end('{}');
};

describe('createHttpTransport() through a proxy', () => {
  for (const [name, how] of [
    ['HTTP/2', {}],
    ['HTTP/1.1 over TLS', { h2: false }],
  ] as const) {
    for (const [kind, startProxy] of [
      ['CONNECT', startHttpProxy],
      ['SOCKS5', startSocksProxy],
    ] as const) {
      it(`tunnels ${name} by ${kind}, and lets the proxy resolve names`, async () => {
        const server = await serve(echo, how);
        const proxy = await startProxy();
        closers.push(() => proxy.close());
        // The name is nobody's; the certificate is good for it.
        const transport = createHttpTransport({
          server: `https://other.test:${server.port}`,
          env,
          tls: { ca: testCertificate, serverName: 'localhost' },
          proxy: proxy.url,
        });
        try {
          assert.equal((await transport.send(get('/x'))).status, 200);
          assert.deepEqual([...new Set(proxy.seen)], [`CONNECT other.test:${server.port}`]);
          assert.match(server.seen[0] ?? '', how === undefined ? /./ : /GET \/x/);
        } finally {
          await transport.close();
        }
      });
    }
  }

  it('asks an http proxy for the whole URL of a plain http server', async () => {
    const server = await serve(echo, { secure: false });
    const proxy = await startHttpProxy();
    closers.push(() => proxy.close());
    const transport = connect(server, { proxy: proxy.url });
    assert.equal((await transport.send(get('/x'))).status, 200);
    assert.deepEqual(proxy.seen, [`GET ${server.url}/x`]);
  });

  for (const [kind, startProxy] of [
    ['CONNECT', startHttpProxy],
    ['SOCKS5', startSocksProxy],
  ] as const) {
    for (const secure of [true, false]) {
      it(`tunnels upgrades to ${secure ? 'https' : 'plain http'} by ${kind}, and ends them when it is closed`, async () => {
        const server = await serve(echo, { secure, h2: false });
        server.server.on('upgrade', (_request: unknown, socket: net.Socket) => {
          socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n');
          socket.on('data', (chunk) => socket.write(chunk)).on('end', () => socket.end());
          socket.on('error', () => {});
        });
        const proxy = await startProxy();
        closers.push(() => proxy.close());
        const transport = connect(server, { proxy: proxy.url });
        const headers = { connection: 'upgrade', upgrade: 'echo' };
        const { status, body } = await transport.send(get('/exec', { headers }));
        assert.equal(status, 101);
        assert.deepEqual(proxy.seen, [`CONNECT 127.0.0.1:${server.port}`]);
        assert.ok(body.kind === 'upgrade');
        const { promise: closed, resolve: close } = Promise.withResolvers<void>();
        const running = body.run({
          incoming: (async function* () {
            yield Buffer.from('hello');
            await closed;
          })(),
          write: async (bytes) => {
            assert.equal(Buffer.from(bytes).toString(), 'hello');
            await transport.close();
          },
          close: async () => close(),
        });
        await running.catch(() => undefined);
        await until(env.clock, () => server.sockets.size === 0, 'no socket left');
      });
    }
  }

  it('says what the proxy refused, without its password', async () => {
    const server = await serve(echo);
    const [connectProxy, socks] = await Promise.all([startHttpProxy(), startSocksProxy()]);
    closers.push(
      () => connectProxy.close(),
      () => socks.close(),
    );
    for (const proxy of [connectProxy, socks]) {
      const wrong = new URL(proxy.url);
      wrong.password = 'secret';
      const failure: unknown = await connect(server, { proxy: wrong })
        .send(get('/x'))
        .catch((error: unknown) => error);
      assert.ok(isTransportError(failure, 'refused'));
      assert.match(failure.message, /the proxy 127\.0\.0\.1:\d+ (refused the connection.*407|opened no connection)/);
      assert.doesNotMatch(failure.message, /secret/);
    }
  });
});

describe('createHttpTransport()', () => {
  it('sends several impersonated groups as several headers', async () => {
    for (const how of [{}, { h2: false }]) {
      const server = await serve((request, response) => {
        const raw = request.rawHeaders;
        const groups = raw.filter(
          (_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === 'impersonate-group',
        );
        response.setHeader('groups', groups.join('|'));
        response.end();
      }, how);
      const { headers } = await connect(server).send(get('/x', { headers: { 'impersonate-group': 'a, b' } }));
      assert.equal(headers['groups'], 'a|b');
    }
  });

  it('retries what a server that goes away surely did not take up, a write too', async () => {
    let first: number | undefined;
    const server = await serve((request, response) => {
      if (first === undefined) {
        first = request.stream.id;
      } else if (server.connections === 1) {
        // The first stream was taken up, this one and later ones were not.
        request.stream.session?.goaway(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM, first);
      } else {
        response.end('{}');
      }
    });
    const body = { kind: 'bytes', bytes: Buffer.from('{}') } as const;
    const transport = connect(server);
    const taken = transport.send(get('/taken')).catch((error: unknown) => error);
    await until(env.clock, () => first !== undefined, 'the first request');
    const response = await transport.send(get('/x', { method: 'POST', body }));
    assert.equal(response.status, 200);
    assert.ok(isTransportError(await taken, 'reset'));
    assert.equal(server.connections, 2);
  });

  it('does not retry a write that a server that went away may have carried out', async () => {
    const server = await serve((request) => {
      const { session } = request.stream;
      session?.goaway(http2.constants.NGHTTP2_INTERNAL_ERROR, request.stream.id);
      session?.destroy();
    });
    const body = { kind: 'bytes', bytes: Buffer.from('{}') } as const;
    const failure: unknown = await connect(server)
      .send(get('/x', { method: 'POST', body }))
      .catch((error: unknown) => error);
    assert.ok(isTransportError(failure, 'reset'));
    assert.equal(server.seen.length, 1);
  });

  it('drains a connection whose server says goodbye: requests under way end on it, new ones go elsewhere', async () => {
    const held: (() => void)[] = [];
    const server = await serve((request, response) => {
      if (request.url === '/slow') held.push(() => void response.end('{}'));
      else response.end('{}');
    });
    const transport = connect(server);
    const slow = transport.send(get('/slow'));
    await until(env.clock, () => held.length === 1, 'the slow request');
    for (const session of server.sessions) session.close();
    await until(env.clock, () => [...server.sessions].every(({ closed }) => closed), 'the goodbye');
    await transport.send(get('/x'));
    held[0]?.();
    assert.equal((await slow).status, 200);
    assert.equal(server.connections, 2);
  });

  it('gives lease renewals a connection of their own, however many streams are open', async () => {
    let leases = 0;
    const server = await serve(
      (request, response) => {
        if (request.url === '/lease') {
          leases++;
          response.end();
        }
      },
      { settings: { maxConcurrentStreams: 4 } },
    );
    const transport = connect(server);
    const stop = new AbortController();
    const hanging = Array.from({ length: 20 }, () => transport.send(get('/hang', { signal: stop.signal })));
    await until(env.clock, () => server.seen.length >= 20, '20 requests');
    const before = server.connections;
    await transport.send(get('/lease', { lane: 'lease' }));
    await transport.send(get('/lease', { lane: 'lease' }));
    assert.equal(leases, 2);
    assert.equal(server.connections, before + 1);
    stop.abort(new Error('enough'));
    await Promise.allSettled(hanging);
  });

  for (const [name, how] of [
    ['HTTP/2', {}],
    ['HTTP/1.1', { h2: false }],
  ] as const) {
    it(`sends nothing of a request that does not want to go once its connection is there: ${name}`, async () => {
      const server = await serve(echo, how);
      const transport = connect(server);
      const refused = new Error('not any more');
      const beforeSend = (): void => {
        throw refused;
      };
      await assert.rejects(transport.send(get('/never', { beforeSend })), refused);
      await transport.send(get('/after', { beforeSend: () => {} }));
      assert.ok(server.seen.every((line) => !line.includes('/never')));
    });

    it(`S8 closes at once with 100 idle streams and open watches: ${name}`, async () => {
      const server = await serve((request, response) => {
        if (request.url.includes('watch=true')) response.writeHead(200).write('{}\n');
      }, how);
      const transport = connect(server, { concurrency: false });
      // These wait for one another as well.
      const limited = connect(server, { concurrency: { initial: 1, max: 1 } });
      const waiting = Array.from({ length: 10 }, () => limited.send(get('/x')).catch((error: unknown) => error));
      const pending = Array.from({ length: 100 }, () => transport.send(get('/idle')).catch((error: unknown) => error));
      const { body } = await transport.send(watch);
      assert.ok(body.kind === 'stream');
      const reading = (async () => {
        for await (const _ of body.chunks);
      })().catch((error: unknown) => error);
      await until(env.clock, () => server.seen.length === 102, '102 requests');
      const startedMs = env.clock.monotonicMs();
      await Promise.all([transport.close(), limited.close()]);
      const failures = await Promise.all([...pending, reading]);
      assert.ok(failures.every((failure) => isTransportError(failure, 'reset')));
      assert.ok((await Promise.all(waiting)).every((failure) => isTransportError(failure, 'reset', 'refused')));
      await until(env.clock, () => server.sockets.size === 0, 'no socket left');
      assert.ok(env.clock.monotonicMs() - startedMs < 2_000);
      await assert.rejects(transport.send(get('/x')), /the transport is closed/);
    });

    it(`J5 does not grow its sockets by watches that come and go: ${name}`, async () => {
      const server = await serve(echo, how);
      const transport = connect(server);
      for (let round = 0; round < 20; round++) {
        const stop = new AbortController();
        const { body } = await transport.send({ ...watch, signal: stop.signal });
        assert.ok(body.kind === 'stream');
        for await (const _ of body.chunks) break;
        stop.abort();
        await transport.send(get('/x'));
      }
      await until(env.clock, () => server.sockets.size <= 2, `few sockets, not ${server.sockets.size}`);
    });

    it(`replaces connections when the client certificate or the CA changes: ${name}`, async () => {
      const virtual = createVirtualEnv();
      const names: string[] = [];
      const mutual = { requestCert: true, ca: [janeCertificate, otherCertificate] };
      const server = await serve(
        (request, response) => {
          const socket = (request.stream?.session?.socket ?? request.socket) as import('node:tls').TLSSocket;
          names.push(String(socket.getPeerCertificate().subject?.CN));
          echo(request, response);
        },
        { ...how, tls: mutual },
      );
      let material: TlsMaterial = { ca: testCertificate, cert: janeCertificate, key: janeKey };
      const transport = createHttpTransport({ server: server.url, env: virtual, tls: () => material });
      closers.push(() => transport.close());
      await transport.send(get('/x'));
      const { body } = await transport.send(watch);
      assert.ok(body.kind === 'stream');
      const reading = (async () => {
        for await (const _ of body.chunks);
      })().catch((error: unknown) => error);
      material = { ca: testCertificate, cert: otherCertificate, key: otherKey };
      await transport.send(get('/x'));
      await virtual.clock.advance(300_000);
      await transport.send(get('/x'));
      assert.ok(isTransportError(await reading, 'reset'));
      assert.deepEqual(names, ['jane', 'jane', 'jane', 'other']);
      // The server's new certificate comes from another authority: the new bundle is read in time.
      material = { ...material, ca: otherCertificate };
      (server.server as import('node:tls').Server).setSecureContext({
        key: otherKey,
        cert: otherCertificate,
        ...mutual,
      });
      await virtual.clock.advance(300_000);
      await transport.send(get('/x'));
      assert.equal(names.length, 5);
      await until(env.clock, () => server.sockets.size === 1, `one socket, not ${server.sockets.size}`);
    });
  }

  describe('over connections that a middle box forgets', () => {
    // It takes bytes and passes none on, on the connections there were when it forgot.
    async function setUp() {
      const virtual = createVirtualEnv();
      const server = await serve(echo);
      let frozen = new Set<net.Socket>();
      const pipes = new Set<net.Socket>();
      const middle = net.createServer((socket) => {
        const onward = net.connect(server.port, '127.0.0.1');
        pipes.add(socket).add(onward);
        const pass = (from: net.Socket, to: net.Socket): void => {
          from.on('data', (chunk) => void (frozen.has(from) || to.write(chunk))).on('error', () => {});
          from.on('end', () => void (frozen.has(from) || to.end()));
        };
        pass(socket, onward);
        pass(onward, socket);
      });
      await new Promise<void>((resolve) => middle.listen(0, '127.0.0.1', resolve));
      closers.push(async () => {
        for (const pipe of pipes) pipe.destroy();
        await new Promise((resolve) => middle.close(resolve));
      });
      const url = `https://127.0.0.1:${(middle.address() as net.AddressInfo).port}`;
      const transport = createHttpTransport({ server: url, env: virtual, tls: { ca: testCertificate } });
      closers.push(() => transport.close());
      return { virtual, server, transport, forget: () => (frozen = new Set(pipes)) };
    }

    it('finds them by ping within 45 s, and requests go on elsewhere', async () => {
      const { virtual, transport, forget } = await setUp();
      const { body } = await transport.send(watch);
      assert.ok(body.kind === 'stream');
      const reading = (async () => {
        for await (const _ of body.chunks);
      })().catch((error: unknown) => error);
      await transport.send(get('/x'));
      forget();
      await virtual.clock.advance(45_000);
      assert.ok(isTransportError(await reading, 'reset'));
      assert.equal((await transport.send(get('/x'))).status, 200);
    });

    it('finds them 15 s after a request was given up', async () => {
      const { virtual, transport, forget } = await setUp();
      await transport.send(get('/x'));
      forget();
      const stop = new AbortController();
      const given = assert.rejects(transport.send(get('/x', { signal: stop.signal })), /enough/);
      await virtual.clock.settle();
      stop.abort(new Error('enough'));
      await given;
      const stuck = transport.send(get('/x')).catch((error: unknown) => error);
      await virtual.clock.advance(15_000);
      assert.ok(isTransportError(await stuck, 'reset'));
      assert.equal((await transport.send(get('/x'))).status, 200);
    });

    it('renews a lease elsewhere at once when a renewal was given up', async () => {
      const { virtual, server, transport, forget } = await setUp();
      await transport.send(get('/lease', { lane: 'lease' }));
      forget();
      const stop = new AbortController();
      const given = assert.rejects(transport.send(get('/lease', { lane: 'lease', signal: stop.signal })), /too late/);
      await virtual.clock.settle();
      stop.abort(new Error('too late'));
      await given;
      assert.equal((await transport.send(get('/lease', { lane: 'lease' }))).status, 200);
      assert.equal(virtual.clock.monotonicMs(), 0);
      assert.equal(server.connections, 2);
    });
  });

  it('closes a connection that carried nothing for 90 s, not one with a watch', async () => {
    const virtual = createVirtualEnv();
    let say: () => void = () => {};
    const server = await serve((request, response) => {
      if (request.url.includes('watch=true')) say = () => void response.write('{}\n');
      else response.end('{}');
      say();
    });
    const transport = createHttpTransport({ server: server.url, env: virtual, tls: { ca: testCertificate } });
    closers.push(() => transport.close());
    const stop = new AbortController();
    const { body } = await transport.send({ ...watch, signal: stop.signal });
    assert.ok(body.kind === 'stream');
    let heard = 0;
    const reading = (async () => {
      for await (const _ of body.chunks) heard++;
    })().catch((error: unknown) => error);
    for (let i = 1; i <= 40; i++) {
      await until(env.clock, () => heard === i, `word ${i}`);
      await virtual.clock.advance(5_000);
      say();
    }
    assert.equal(server.connections, 1);
    stop.abort(new Error('enough'));
    await reading;
    for (let i = 0; i < 1000 && server.sockets.size > 0; i++) {
      await virtual.clock.advance(5_000);
      await env.clock.sleep(1);
    }
    assert.equal(server.sockets.size, 0);
    assert.ok(virtual.clock.monotonicMs() >= 200_000 + 90_000);
    assert.equal((await transport.send(get('/x'))).status, 200);
    assert.equal(server.connections, 2);
  });
});
