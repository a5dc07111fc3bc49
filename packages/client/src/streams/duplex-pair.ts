// Two ends of one connection in memory, with backpressure: what one end writes, the other reads. An upgraded answer takes one
// end and the protocol above it keeps the other.

import { TransportError } from '../transport/transport-error.ts';
import type { DuplexConnection } from '../transport/transport.ts';

/** What a direction holds before writers wait for the reader, bytes. */
const heldBytesMax = 256 * 1024;

/**
 * Creates the two ends. A direction holds up to 256 KiB; then a write waits until the other side has taken from it. Closing an end
 * closes both directions; what was written before is still read.
 */
export function createDuplexPair(): readonly [DuplexConnection, DuplexConnection] {
  const forth = new Pipe();
  const back = new Pipe();
  const close = (): Promise<void> => {
    forth.end();
    back.end();
    return Promise.resolve();
  };
  return [
    { incoming: back, write: (bytes) => forth.write(bytes), close },
    { incoming: forth, write: (bytes) => back.write(bytes), close },
  ];
}

/** One direction. */
class Pipe implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #heldBytes = 0;
  #wakeReader: (() => void) | undefined;
  #wakeWriters: (() => void)[] = [];
  #ended = false;
  #abandoned = false;

  async write(bytes: Uint8Array): Promise<void> {
    while (this.#heldBytes >= heldBytesMax && !this.#ended) {
      await new Promise<void>((resolve) => this.#wakeWriters.push(resolve));
    }
    if (this.#ended) throw new TransportError('reset', 'the connection is closed');
    if (this.#abandoned) return;
    this.#chunks.push(bytes);
    this.#heldBytes += bytes.length;
    this.#wakeReader?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, void> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk === undefined) {
          if (this.#ended) return;
          await new Promise<void>((resolve) => (this.#wakeReader = resolve));
          continue;
        }
        this.#heldBytes -= chunk.length;
        this.#wake();
        yield chunk;
      }
    } finally {
      // Nobody reads any more: what comes is dropped, as by a socket whose reading side was shut.
      this.#abandoned = true;
      this.#chunks.length = 0;
      this.#heldBytes = 0;
      this.#wake();
    }
  }

  #wake(): void {
    this.#wakeReader?.();
    for (const wake of this.#wakeWriters.splice(0)) wake();
  }
}
