// Clients that send a body drop by drop, or never to its end.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { FixtureServer } from './api-server-fixture.ts';
import { boundBody } from './bounded-body.ts';
import { listen } from '@homeostat/runtime/node';

test('a body that does not come in time is answered with 504, and its connection closed', async () => {
  const env = { ...createRealEnv(), log: silentLogger };
  const server = await FixtureServer.start({ env });
  const listener = await listen({ env, handle: server.server.handle, port: 0 });
  const socket = net.connect(listener.port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  const head = 'POST /api/v1/namespaces/default/configmaps?timeout=50ms HTTP/1.1\r\nHost: x\r\n';
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`);
  await once(socket, 'close');
  assert.match(answer, /^HTTP\/1\.1 504 /);
  assert.match(answer, /connection: close/i);
  assert.match(answer, /did not complete within the allotted timeout/);
  await listener.close();
  await server.stop();
});

test('a body in time is passed on as it is, and given back when its reader has enough', async () => {
  let open = true;
  async function* three(): AsyncGenerator<Uint8Array> {
    try {
      for (const byte of [1, 2, 3]) yield Uint8Array.of(byte);
    } finally {
      open = false;
    }
  }
  const { signal } = new AbortController();
  const request = { method: 'POST', path: '/', query: '', headers: {}, signal };
  const read = async (limit: number): Promise<readonly number[]> => {
    const { body } = boundBody({ ...request, body: { kind: 'stream', chunks: three() } }, signal);
    assert.equal(body?.kind, 'stream');
    const bytes: number[] = [];
    if (body?.kind === 'stream') for await (const chunk of body.chunks) if (bytes.push(...chunk) === limit) break;
    return bytes;
  };
  assert.deepEqual(await read(9), [1, 2, 3]);
  open = true;
  assert.deepEqual(await read(1), [1]);
  assert.equal(open, false);
  assert.equal(boundBody(request, signal), request);
});
