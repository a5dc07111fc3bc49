// Reads a request's body up to the limit (spec/apiserver.md §1.4).

import { ApiError } from '@homeostat/base';
import type { RequestBody } from '@homeostat/client';

export const bodyBytesMax = 3 * 1024 * 1024;

/** @throws ApiError 413 */
export async function readBytes(body: RequestBody | undefined): Promise<Uint8Array> {
  if (body === undefined || body.kind === 'object') return new Uint8Array();
  if (body.kind === 'bytes') return checked(body.bytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body.chunks) {
    length += chunk.length;
    if (length > bodyBytesMax) throw tooLarge(`limit is ${bodyBytesMax}`);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, length);
}

function checked(bytes: Uint8Array): Uint8Array {
  if (bytes.length > bodyBytesMax) throw tooLarge(`limit is ${bodyBytesMax}`);
  return bytes;
}

export function tooLarge(text: string): ApiError {
  return new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${text}` });
}
