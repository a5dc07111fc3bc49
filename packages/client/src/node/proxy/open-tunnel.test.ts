// The transport through proxies, over sockets on the loopback interface.

import assert from 'node:assert/strict';
import type net from 'node:net';
import { describe, it } from 'node:test';
import { isTransportError } from '../../transport/transport-error.ts';
import { createHttpTransport } from '../http-transport.ts';
import { startHttpProxy, startSocksProxy } from '../testing/proxy-fixture.ts';
import { until } from '../testing/server-fixture.ts';
import { closeLater, connect, echo, env, get, serve } from '../testing/test-bed.ts';
import { testCertificate } from '../testing/tls-fixture.ts';

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
        closeLater(() => proxy.close());
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
    closeLater(() => proxy.close());
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
        closeLater(() => proxy.close());
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
    closeLater(() => Promise.all([connectProxy.close(), socks.close()]));
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
