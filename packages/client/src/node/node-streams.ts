// Node's streams as what the transport port takes.

import { Readable, type Writable } from 'node:stream';
import { bodyBytesMax, tooLong } from '../rest/body.ts';
import { toTransportError } from './transport-failure.ts';

/**
 * All chunks of a stream that ends; more than {@link bodyBytesMax} are an error. Listeners, not iteration: this is the path of every small
 * answer.
 */
export function collect(stream: Readable): Promise<readonly Uint8Array[]> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let ended = false;
    stream.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) chunks.push(chunk);
      else stream.destroy(tooLong());
    });
    stream.once('end', () => {
      ended = true;
      resolve(chunks);
    });
    stream.once('error', reject);
    stream.once('close', () => {
      if (!ended) reject(new Error('the connection was closed before the answer had ended'));
    });
  });
}

/**
 * The chunks of a stream as they come, with backpressure; to be read once. Ends with a TransportError when the connection breaks. `return`
 * closes the stream at once, even if nothing was read yet or a read is under way.
 */
export function readStream(stream: Readable, signal: AbortSignal, doing: string): AsyncIterable<Uint8Array> {
  const chunks = read(stream, signal, doing);
  const iterator: AsyncIterator<Uint8Array, void, void> = {
    next: () => chunks.next(),
    return: () => {
      stream.destroy();
      return chunks.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

async function* read(stream: Readable, signal: AbortSignal, doing: string): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
    // A stream that was cancelled ends like one that is over.
    signal.throwIfAborted();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw toTransportError(error, doing);
  } finally {
    stream.destroy();
  }
}

/** Writes a chunk and waits until the stream takes more or is gone. Leaves no listener behind. */
export async function writeChunk(stream: Writable, chunk: Uint8Array): Promise<void> {
  if (stream.write(chunk) || stream.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}

/** Sends a body as it comes, with backpressure; what its source throws breaks the request off. */
export function sendChunks(outgoing: Writable, chunks: AsyncIterable<Uint8Array>): void {
  const source = Readable.from(chunks, { objectMode: false });
  source.once('error', (error) => outgoing.destroy(error));
  outgoing.once('close', () => source.destroy());
  source.pipe(outgoing);
}
