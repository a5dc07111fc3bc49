// Connections that die unnoticed, and ones that nobody uses: time is virtual, bytes are real.

import assert from 'node:assert/strict';
import net from 'node:net';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { isTransportError } from '../transport/transport-error.ts';
import { createHttpTransport } from './http-transport.ts';
import { until } from './testing/server-fixture.ts';
import { closeLater, echo, endOf, env, get, serve, watch } from './testing/test-bed.ts';
import { testCertificate } from './testing/tls-fixture.ts';

describe('HTTP/2 connections that a middle box forgets', () => {
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
    closeLater(async () => {
      for (const pipe of pipes) pipe.destroy();
      await new Promise((resolve) => middle.close(resolve));
    });
    const url = `https://127.0.0.1:${(middle.address() as net.AddressInfo).port}`;
    const transport = createHttpTransport({ server: url, env: virtual, tls: { ca: testCertificate } });
    closeLater(() => transport.close());
    return { virtual, server, transport, forget: () => (frozen = new Set(pipes)) };
  }

  it('finds them by ping within 45 s, and requests go on elsewhere', async () => {
    const { virtual, transport, forget } = await setUp();
    const { body } = await transport.send(watch);
    assert.ok(body.kind === 'stream');
    const reading = endOf(body.chunks);
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

describe('an HTTP/2 connection', () => {
  it('closes a connection that carried nothing for 90 s, not one with a watch', async () => {
    const virtual = createVirtualEnv();
    let say: () => void = () => {};
    const server = await serve((request, response) => {
      if (request.url.includes('watch=true')) say = () => void response.write('{}\n');
      else response.end('{}');
      say();
    });
    const transport = createHttpTransport({ server: server.url, env: virtual, tls: { ca: testCertificate } });
    closeLater(() => transport.close());
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
