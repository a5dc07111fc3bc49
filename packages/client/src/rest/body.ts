// Bodies between objects and bytes. In process nothing is encoded; over HTTP it is JSON.
// Go's protobuf is not used by this client: JSON.parse is the fastest decoder a JavaScript engine has.

import { encodeJson } from '@homeostat/machinery';
import type { ApiResponse, RequestBody, Transport } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import { parseAnswer } from './parse-answer.ts';

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A request body for what the transport takes. Bytes, and texts of another type than JSON, go out as they are. */
export function toRequestBody(value: unknown, transport: Transport, contentType = 'application/json'): RequestBody {
  if (value instanceof Uint8Array) return { kind: 'bytes', bytes: value };
  if (typeof value === 'string' && !contentType.includes('json'))
    return { kind: 'bytes', bytes: encoder.encode(value) };
  if (transport.exchanges === 'object') return { kind: 'object', object: value };
  return { kind: 'bytes', bytes: encodeJson(value) };
}

/** Longest answer that is read whole, bytes: no JavaScript string is longer than that. Lists beyond it come in pages. */
export const bodyBytesMax = 512 * 1024 * 1024;

/** What reading a longer one rejects with. */
export function tooLong(): TransportError {
  return new TransportError(
    'protocol',
    `the answer has more than ${bodyBytesMax} bytes: read it in pages, or as a stream`,
  );
}

/**
 * The whole body as a value: an object, the decoded JSON, or text when it is not JSON. Undefined when empty.
 * @param cutBytes - reads a stream up to here only, and lets go of the rest: for answers of which little is wanted
 */
export async function readBody(response: ApiResponse, cutBytes = Infinity): Promise<unknown> {
  const { body } = response;
  switch (body.kind) {
    case 'empty':
      return undefined;
    case 'object':
      return body.object;
    case 'bytes':
      return decode(joinChunks(body.chunks), response);
    case 'stream': {
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of body.chunks) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= cutBytes) break;
        if (bytes > bodyBytesMax) throw tooLong();
      }
      return decode(joinChunks(chunks), response);
    }
    case 'watch':
    case 'upgrade':
      throw new TransportError('protocol', `wanted a finite answer, got one of kind ${body.kind}`);
  }
}

/** The beginning of an answer, for messages about one that was not expected. */
export function excerpt(value: unknown): string {
  const text = toText(value);
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

/** A decoded answer as text again. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? 'nothing' : decoder.decode(encodeJson(value));
}

/** Lets go of an answer that nobody reads. */
export async function discardBody({ body }: ApiResponse): Promise<void> {
  if (body.kind === 'stream') await body.chunks[Symbol.asyncIterator]().return?.();
  else if (body.kind === 'watch') await body.events[Symbol.asyncIterator]().return?.();
}

function decode(bytes: Uint8Array, response: ApiResponse): unknown {
  if (bytes.length === 0) return undefined;
  const text = decoder.decode(bytes);
  const type = response.headers['content-type'];
  if (typeof type === 'string' && !type.includes('json')) return text;
  try {
    return parseAnswer(text);
  } catch (error) {
    if (response.status >= 300) return text;
    throw new TransportError('protocol', `the answer of status ${response.status} is not JSON`, { cause: error });
  }
}

function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0];
  const joined = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
