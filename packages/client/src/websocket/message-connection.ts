// Messages over an upgraded connection (RFC 6455), for either side: whole messages in and out, pings answered, close handshake.

import { TransportError } from '../transport/transport-error.ts';
import type { DuplexConnection } from '../transport/transport.ts';
import { encodeFrame, FrameReader, opcodes } from './frames.ts';

export interface MessageConnectionOptions {
  readonly side: 'client' | 'server';
  /** Four fresh bytes a frame; needed by clients. */
  mask?(): Uint8Array;
  /** Longest message taken, bytes; default 32 MiB. A longer one ends the connection with code 1009. */
  readonly messageBytesMax?: number;
}

/** A two-way stream of binary messages. */
export interface MessageConnection {
  /**
   * Messages as they come; ends when the other side closes. To be read once; whoever stops reading early may still send.
   * @throws TransportError when the connection breaks.
   */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when the connection has taken it. */
  send(message: Uint8Array): Promise<void>;
  /** Says goodbye and ends the connection; twice is fine. @param code - a close code, default 1000 */
  close(code?: number, reason?: string): Promise<void>;
}

const defaultMessageBytesMax = 32 * 1024 * 1024;

export function createMessageConnection(
  connection: DuplexConnection,
  { side, mask, messageBytesMax = defaultMessageBytesMax }: MessageConnectionOptions,
): MessageConnection {
  let closing = false;
  const write = (opcode: number, payload: Uint8Array): Promise<void> =>
    connection.write(encodeFrame(opcode, payload, side === 'client' ? mask?.() : undefined));

  const close = async (code = 1000, reason = ''): Promise<void> => {
    if (closing) return;
    closing = true;
    const text = Buffer.from(reason, 'utf8').subarray(0, 123);
    const payload = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), text]);
    try {
      await write(opcodes.close, payload);
    } catch {
      // Whoever is gone needs no goodbye.
    } finally {
      await connection.close();
    }
  };

  async function* read(): AsyncGenerator<Uint8Array, void, void> {
    const reader = new FrameReader(messageBytesMax, side === 'client' ? 'server' : 'client');
    const message = new PartialMessage(messageBytesMax);
    try {
      for await (const bytes of connection.incoming) {
        for (const frame of reader.push(bytes)) {
          if (frame.opcode === opcodes.close) {
            await close();
            return;
          }
          if (frame.opcode === opcodes.ping) await write(opcodes.pong, frame.payload);
          else if (frame.opcode < opcodes.close) {
            const whole = message.add(frame.payload, frame.final);
            if (whole !== undefined) yield whole;
          }
        }
      }
      if (!closing) throw new TransportError('reset', 'the connection ended without a close frame');
    } catch (error) {
      if (error instanceof TransportError) throw error;
      await close(1009, 'protocol error');
      throw new TransportError('protocol', error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  return { messages: { [Symbol.asyncIterator]: read }, send: (message) => write(opcodes.binary, message), close };
}

/** Joins the frames of a message. */
class PartialMessage {
  readonly #bytesMax: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The whole message with its last frame. @throws Error beyond the bound */
  add(payload: Uint8Array, final: boolean): Uint8Array | undefined {
    this.#parts.push(payload);
    this.#bytes += payload.length;
    if (this.#bytes > this.#bytesMax) {
      throw new Error(`Cannot read a WebSocket message: at most ${this.#bytesMax} bytes are taken`);
    }
    if (!final) return undefined;
    const whole = this.#parts.length === 1 ? payload : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return whole;
  }
}
