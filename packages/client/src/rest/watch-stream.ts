// A watch answer as events (spec/client.md §1.3). Over HTTP: JSON objects, one a line. ERROR events become the thrown ApiError.

import { ApiError, type Status } from '@homeostat/base';
import type { KubeObject, WatchEvent } from '@homeostat/machinery';
import type { ApiResponse } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';
import { excerpt } from './body.ts';
import { parseAnswer } from './parse-answer.ts';

/** Events until the server ends the stream, `signal` aborts (a quiet end) or an error is thrown. */
export async function* readWatch<T extends KubeObject>(
  response: ApiResponse,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent<T>, void, void> {
  const { body } = response;
  try {
    if (body.kind === 'watch') {
      for await (const event of body.events) yield checked<T>(event as WatchEvent<T>);
    } else if (body.kind === 'stream' || body.kind === 'bytes') {
      for await (const frame of readLines(body.chunks)) yield checked<T>(decodeFrame<T>(frame));
    } else if (body.kind !== 'empty') {
      throw new TransportError('protocol', `wanted a watch, got an answer of kind ${body.kind}`);
    }
  } catch (error) {
    if (signal?.aborted) return;
    throw error;
  }
}

function checked<T extends KubeObject>(event: WatchEvent<T>): WatchEvent<T> {
  if (event.type === 'ERROR') throw ApiError.fromStatus(event.object as unknown as Status);
  return event;
}

const types = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);

function decodeFrame<T extends KubeObject>(frame: string): WatchEvent<T> {
  let event: unknown;
  try {
    event = parseAnswer(frame);
  } catch (error) {
    throw decodingError(error instanceof Error ? error.message : String(error), error);
  }
  const { type, object } = (event ?? {}) as Partial<Record<keyof WatchEvent, unknown>>;
  if (typeof type !== 'string' || !types.has(type) || typeof object !== 'object' || object === null)
    throw decodingError(`wanted an event with its object, got ${excerpt(event)}`);
  return event as WatchEvent<T>;
}

function decodingError(text: string, cause?: unknown): ApiError {
  const message = `unable to decode an event from the watch stream: ${text}`;
  const causes = ['UnexpectedServerResponse', 'ClientWatchDecoding'].map((reason) => ({ reason, message }));
  return new ApiError({ code: 500, reason: 'InternalError', message, details: { causes }, cause });
}

/** Longest event, characters: far above what an API server stores. */
const lineMax = 64 * 1024 * 1024;

/** Lines of a byte stream; a rest without a line end is dropped, as a stream cut in mid-frame holds no event. */
async function* readLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      const line = pending + decoder.decode(chunk.subarray(from, end), { stream: true });
      pending = '';
      from = end + 1;
      if (line.trim() !== '') yield line;
    }
    if (from < chunk.length) pending += decoder.decode(chunk.subarray(from), { stream: true });
    if (pending.length > lineMax) throw decodingError(`it has more than ${lineMax} characters`);
  }
}

const lineFeed = 0x0a;
