// Answers that a server has compressed because it was asked to.

import { Readable } from 'node:stream';
import { createGunzip, gunzip } from 'node:zlib';
import { bodyBytesMax, tooLong } from '../rest/body.ts';
import type { ApiResponse } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import { readStream } from './node-streams.ts';

/** The header that asks for it. */
export const acceptGzip = { 'accept-encoding': 'gzip' } as const;

/** The answer with its body as it was before; the same answer when it is not compressed. @throws TransportError when it is no gzip. */
export async function decompress(response: ApiResponse, doing: string, signal: AbortSignal): Promise<ApiResponse> {
  const { body } = response;
  const { 'content-encoding': encoding, 'content-length': _length, ...headers } = response.headers;
  if (encoding !== 'gzip') return response;
  if (body.kind === 'bytes')
    return { ...response, headers, body: { kind: 'bytes', chunks: [await inflate(body.chunks, doing)] } };
  if (body.kind !== 'stream') return response;
  const compressed = Readable.from(body.chunks, { objectMode: false });
  const plain = createGunzip();
  compressed.on('error', (error) => plain.destroy(error)).pipe(plain);
  plain.once('close', () => compressed.destroy());
  return { ...response, headers, body: { kind: 'stream', chunks: readStream(plain, signal, doing) } };
}

function inflate(chunks: readonly Uint8Array[], doing: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gunzip(Buffer.concat(chunks), { maxOutputLength: bodyBytesMax }, (error, bytes) => {
      if (error === null) resolve(bytes);
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLong());
      else
        reject(new TransportError('protocol', `${doing}: the answer is not gzip: ${error.message}`, { cause: error }));
    });
  });
}
