// WebSocket frames (RFC 6455 §5), of either side: what a client sends is masked, what a server sends is not.

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
  readonly opcode: number;
  /** Whether the message ends with this frame. */
  readonly final: boolean;
  readonly payload: Uint8Array;
}

/** A whole message in one frame. @param mask - 4 bytes, for a client's frame */
export function encodeFrame(opcode: number, payload: Uint8Array, mask?: Uint8Array): Uint8Array {
  const { length } = payload;
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const headerBytes = 2 + lengthBytes + (mask === undefined ? 0 : 4);
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame[0] = 0x80 | opcode;
  if (length < 126) frame[1] = length;
  else if (length < 65_536) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.set(payload, headerBytes);
  if (mask !== undefined) {
    frame[1] = (frame[1] ?? 0) | 0x80;
    frame.set(mask, headerBytes - 4);
    applyMask(frame.subarray(headerBytes), mask);
  }
  return frame;
}

function applyMask(payload: Uint8Array, mask: Uint8Array): void {
  for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
}

/** Cuts incoming bytes into frames. */
export class FrameReader {
  readonly #payloadBytesMax: number;
  readonly #from: 'client' | 'server';
  #buffer: Buffer = Buffer.alloc(0);

  /** @param from - who sends the frames: clients mask them, servers do not */
  constructor(payloadBytesMax: number, from: 'client' | 'server' = 'client') {
    this.#payloadBytesMax = payloadBytesMax;
    this.#from = from;
  }

  /** Frames that are complete with these bytes. @throws Error for frames beyond the bound, or masked against the rule */
  push(bytes: Uint8Array): readonly Frame[] {
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#buffer, bytes]);
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    const buffer = this.#buffer;
    if (buffer.length < 2) return undefined;
    const first = buffer[0] ?? 0;
    const second = buffer[1] ?? 0;
    const masked = (second & 0x80) !== 0;
    if (masked !== (this.#from === 'client')) {
      throw new Error(
        `Cannot read a WebSocket frame: ${masked ? 'servers must not mask, this one does' : 'clients must mask, this one does not'}`,
      );
    }
    const short = second & 0x7f;
    const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
    const payloadAt = 2 + lengthBytes + (masked ? 4 : 0);
    if (buffer.length < payloadAt) return undefined;
    const length =
      lengthBytes === 0 ? short : lengthBytes === 2 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
    if (length > this.#payloadBytesMax) {
      throw new Error(
        `Cannot read a WebSocket frame: at most ${this.#payloadBytesMax} bytes are taken, found ${length}`,
      );
    }
    const end = payloadAt + length;
    if (buffer.length < end) return undefined;
    const payload = Buffer.from(buffer.subarray(payloadAt, end));
    if (masked) applyMask(payload, buffer.subarray(payloadAt - 4, payloadAt));
    this.#buffer = buffer.subarray(end);
    return { opcode: first & 0x0f, final: (first & 0x80) !== 0, payload };
  }
}
