// What becomes of connections: rotation, GOAWAY, lanes, closing. Over sockets on the loopback interface.

import assert from 'node:assert/strict';
import http2 from 'node:http2';
import type tls from 'node:tls';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { isTransportError } from '../transport/transport-error.ts';
import type { TlsMaterial } from './http-connection-options.ts';
import { createHttpTransport } from './http-transport.ts';
import { until } from './testing/server-fixture.ts';
import { closeLater, connect, echo, endOf, env, get, serve, watch } from './testing/test-bed.ts';
import { janeCertificate, janeKey, otherCertificate, otherKey, testCertificate } from './testing/tls-fixture.ts';

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
      const reading = endOf(body.chunks);
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
          const socket = (request.stream?.session?.socket ?? request.socket) as tls.TLSSocket;
          names.push(String(socket.getPeerCertificate().subject?.CN));
          echo(request, response);
        },
        { ...how, tls: mutual },
      );
      let material: TlsMaterial = { ca: testCertificate, cert: janeCertificate, key: janeKey };
      const transport = createHttpTransport({ server: server.url, env: virtual, tls: () => material });
      closeLater(() => transport.close());
      await transport.send(get('/x'));
      const { body } = await transport.send(watch);
      assert.ok(body.kind === 'stream');
      const reading = endOf(body.chunks);
      material = { ca: testCertificate, cert: otherCertificate, key: otherKey };
      await transport.send(get('/x'));
      await virtual.clock.advance(300_000);
      await transport.send(get('/x'));
      assert.ok(isTransportError(await reading, 'reset'));
      assert.deepEqual(names, ['jane', 'jane', 'jane', 'other']);
      // The server's new certificate comes from another authority: the new bundle is read in time.
      material = { ...material, ca: otherCertificate };
      (server.server as tls.Server).setSecureContext({
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
});
