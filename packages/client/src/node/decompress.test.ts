// Compressed answers, over a server that compresses whatever it may.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createRealEnv } from '@homeostat/base/node';
import type { ApiResponse } from '../transport/transport.ts';
import { createHttpTransport } from './http-transport.ts';
import { startTestServer } from './testing/server-fixture.ts';
import { testCertificate } from './testing/tls-fixture.ts';

const env = createRealEnv({ write: () => {} });
const { signal } = new AbortController();

async function textOf({ body }: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  if (body.kind === 'bytes' || body.kind === 'stream') for await (const chunk of body.chunks) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

for (const [name, h2] of [
  ['HTTP/2', true],
  ['HTTP/1.1', false],
] as const) {
  describe(`compression over ${name}`, () => {
    it('is asked for when wanted, and undone', async () => {
      const asked: string[] = [];
      const server = await startTestServer(
        (request, response) => {
          const encoding = String(request.headers['accept-encoding']);
          asked.push(encoding);
          const bytes = Buffer.from('{"text":"ü"}\n'.repeat(3));
          if (encoding !== 'gzip') response.end(bytes);
          else {
            response.setHeader('content-encoding', 'gzip');
            response.end(request.url.startsWith('/broken') ? bytes : gzipSync(bytes));
          }
        },
        { h2 },
      );
      const common = { server: server.url, env, tls: { ca: testCertificate } };
      const [plain, zipped] = [createHttpTransport(common), createHttpTransport({ ...common, compression: true })];
      const get = (path: string, query = '', headers = {}) => ({ method: 'GET', path, query, headers, signal });
      try {
        const expected = '{"text":"ü"}\n'.repeat(3);
        assert.equal(await textOf(await plain.send(get('/x'))), expected);
        const whole = await zipped.send(get('/x'));
        assert.equal(whole.headers['content-encoding'], undefined);
        assert.equal(await textOf(whole), expected);
        assert.equal(await textOf(await zipped.send(get('/x', 'watch=true'))), expected);
        await assert.rejects(zipped.send(get('/broken')), { code: 'protocol' });
        await assert.rejects(async () => textOf(await zipped.send(get('/broken', 'watch=true'))), {
          name: 'TransportError',
        });
        // Who asks for it is given it as it comes.
        const own = await zipped.send(get('/x', '', { 'accept-encoding': 'gzip' }));
        assert.equal(own.headers['content-encoding'], 'gzip');
        assert.deepEqual(asked, ['undefined', 'gzip', 'gzip', 'gzip', 'gzip', 'gzip']);
      } finally {
        await Promise.all([plain.close(), zipped.close()]);
        await server.close();
      }
    });
  });
}
