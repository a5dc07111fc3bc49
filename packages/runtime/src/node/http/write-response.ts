// An ApiResponse on a Node response: compressed where that pays, streamed with backpressure, one write where possible.

import type http from 'node:http';
import zlib from 'node:zlib';
import { once } from 'node:events';
import type { ApiRequest, ApiResponse } from '@homeostat/client';

/** Bodies below this size are not worth compressing. */
const compressedBytesMin = 128 * 1024;
const streamingTypes = /;\s*stream=watch/;

export async function writeResponse(
  request: ApiRequest,
  response: ApiResponse,
  outgoing: http.ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const headers: Record<string, string | string[] | number> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    headers[name] = typeof value === 'string' ? value : name === 'warning' ? value.join(', ') : [...value];
  }
  const { body } = response;
  const head = request.method === 'HEAD';
  switch (body.kind) {
    case 'empty':
      outgoing.writeHead(response.status, headers);
      outgoing.end();
      return;
    case 'bytes': {
      const length = body.chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      if (length > compressedBytesMin && !head && wantsGzip(request)) {
        await pipeCompressed(outgoing, response.status, headers, fromArray(body.chunks), signal);
        return;
      }
      headers['content-length'] = length;
      outgoing.writeHead(response.status, headers);
      if (head) outgoing.end();
      else if (body.chunks.length === 1) outgoing.end(body.chunks[0]);
      else outgoing.end(Buffer.concat(body.chunks, length));
      return;
    }
    case 'stream':
      if (wantsGzip(request) && !isEventStream(request)) {
        await pipeCompressed(outgoing, response.status, headers, body.chunks, signal);
        return;
      }
      outgoing.writeHead(response.status, headers);
      // A watch may be silent for long: its client must see the headers now.
      outgoing.flushHeaders();
      await pipe(outgoing, body.chunks, signal);
      return;
    case 'upgrade':
      outgoing.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' });
      outgoing.end('Upgrade request required\n');
      return;
    case 'object':
    case 'watch':
      throw new Error('objects have no bytes: only callers in the process may ask for them');
  }
}

/** Writes chunks one after the other and waits whenever the client is slower than they come. */
async function pipe(
  outgoing: http.ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true || signal.aborted) break;
      if (!outgoing.write(next.value)) await drained(outgoing, signal);
    }
  } finally {
    await iterator.return?.();
  }
  if (!signal.aborted) outgoing.end();
}

async function drained(stream: NodeJS.WritableStream, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  try {
    await once(stream, 'drain', { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function pipeCompressed(
  outgoing: http.ServerResponse,
  status: number,
  headers: Record<string, string | string[] | number>,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  outgoing.writeHead(status, { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  // Upstream's level too: the gain of higher ones is small, their cost is not.
  const gzip = zlib.createGzip({ level: 1 });
  gzip.pipe(outgoing);
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next();
      if (next.done === true || signal.aborted) break;
      if (!gzip.write(next.value)) await drained(gzip, signal);
    }
  } finally {
    await iterator.return?.();
  }
  if (signal.aborted) gzip.destroy();
  else gzip.end();
}

async function* fromArray(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function wantsGzip(request: ApiRequest): boolean {
  return (request.headers['accept-encoding'] ?? '')
    .split(',')
    .some((part) => (part.split(';')[0] ?? '').trim() === 'gzip');
}

function isEventStream(request: ApiRequest): boolean {
  return (
    /(^|&)(watch|follow)(=|&|$)/.test(request.query) ||
    /\/watch\//.test(request.path) ||
    request.path.endsWith('/log') ||
    streamingTypes.test(request.headers['accept'] ?? '')
  );
}
