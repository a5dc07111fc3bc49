// Messages over an upgraded connection (RFC 6455), for either side: whole messages in and out, pings answered, close handshake.

import { TransportError } from '../transport/transport-error.ts';
import type { DuplexConnection } from '../transport/transport.ts';
import { encodeFrame, type Frame, FrameError, FrameReader, opcodes } from './frames.ts';

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
   * @throws TransportError when the connection breaks, and for a client when the server closes with any code but 1000: it gave up.
   */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Resolves when the connection has taken it. */
  send(message: Uint8Array): Promise<void>;
  /** Asks for a sign of life, which whoever reads the messages does not see. Keeps idle connections open through proxies. */
  ping(): Promise<void>;
  /**
   * Says goodbye and ends the connection; twice is fine. A goodbye that the other side does not take is not waited for.
   * @param code - a close code, default 1000
   */
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
    // Not waited for: whoever does not read must not keep the connection open, and whoever is gone needs no goodbye.
    write(opcodes.close, payload).catch(() => {});
    await connection.close();
  };

  async function* read(): AsyncGenerator<Uint8Array, void, void> {
    const reader = new FrameReader(messageBytesMax, side === 'client' ? 'server' : 'client');
    const message = new PartialMessage(messageBytesMax);
    try {
      for await (const bytes of connection.incoming) {
        for (const frame of reader.push(bytes)) {
          if (frame.opcode === opcodes.close) {
            const wasClosing = closing;
            await close();
            if (side === 'client' && !wasClosing) checkGoodbye(frame.payload);
            return;
          }
          if (frame.opcode === opcodes.ping) await write(opcodes.pong, frame.payload);
          else if (frame.opcode !== opcodes.pong) {
            const whole = message.add(frame);
            if (whole !== undefined) yield whole;
          }
        }
      }
      if (!closing) throw new TransportError('reset', 'the connection ended without a close frame');
    } catch (error) {
      if (error instanceof TransportError) throw error;
      await close(error instanceof FrameError ? error.closeCode : 1011);
      throw new TransportError('protocol', error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  return {
    messages: { [Symbol.asyncIterator]: read },
    send: (message) => write(opcodes.binary, message),
    ping: () => write(opcodes.ping, new Uint8Array()),
    close,
  };
}

const normalClosure = 1000;

/** @throws TransportError unless the other side closed in the ordinary way, or said nothing of why. */
function checkGoodbye(payload: Uint8Array): void {
  if (payload.length < 2) return;
  const code = ((payload[0] ?? 0) << 8) | (payload[1] ?? 0);
  if (code === normalClosure) return;
  const reason = Buffer.from(payload.subarray(2)).toString('utf8');
  throw new TransportError(
    'reset',
    `the server closed the WebSocket with code ${code}${reason === '' ? '' : `: ${reason}`}`,
  );
}

/** Joins the frames of a message. */
class PartialMessage {
  readonly #bytesMax: number;
  #parts: Uint8Array[] | undefined;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** The whole message with its last frame. @throws FrameError beyond the bound, or out of order */
  add({ opcode, payload, final }: Frame): Uint8Array | undefined {
    if ((opcode === opcodes.continuation) !== (this.#parts !== undefined))
      throw new FrameError('Cannot read a WebSocket message: its frames are out of order');
    const parts = (this.#parts ??= []);
    // Frames may be empty, any number of them.
    if (payload.length > 0) parts.push(payload);
    this.#bytes += payload.length;
    if (this.#bytes > this.#bytesMax)
      throw new FrameError(`Cannot read a WebSocket message: at most ${this.#bytesMax} bytes are taken`, 1009);
    if (!final) return undefined;
    this.#parts = undefined;
    this.#bytes = 0;
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }
}
