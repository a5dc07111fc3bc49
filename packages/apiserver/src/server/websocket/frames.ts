// WebSocket frames (RFC 6455 §5) as a server writes and reads them: never masked outwards, always masked inwards.

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface Frame {
  readonly opcode: number;
  readonly payload: Uint8Array;
}

/** A whole message in one frame. */
export function encodeFrame(opcode: number, payload: Uint8Array): Uint8Array {
  const { length } = payload;
  const headerBytes = length < 126 ? 2 : length < 65_536 ? 4 : 10;
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
  return frame;
}

/** Cuts incoming bytes into frames. */
export class FrameReader {
  readonly #payloadBytesMax: number;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(payloadBytesMax: number) {
    this.#payloadBytesMax = payloadBytesMax;
  }

  /** Frames that are complete with these bytes. @throws Error for frames beyond the bound or without a mask */
  push(bytes: Uint8Array): readonly Frame[] {
    this.#buffer = this.#buffer.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#buffer, bytes]);
    const frames: Frame[] = [];
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): Frame | undefined {
    const buffer = this.#buffer;
    if (buffer.length < 2) return undefined;
    const opcode = (buffer[0] ?? 0) & 0x0f;
    const second = buffer[1] ?? 0;
    if ((second & 0x80) === 0) throw new Error('Cannot read a WebSocket frame: clients must mask, this one does not');
    const short = second & 0x7f;
    const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
    const maskAt = 2 + lengthBytes;
    if (buffer.length < maskAt + 4) return undefined;
    const length =
      lengthBytes === 0 ? short : lengthBytes === 2 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
    if (length > this.#payloadBytesMax) {
      throw new Error(
        `Cannot read a WebSocket frame: at most ${this.#payloadBytesMax} bytes are taken, found ${length}`,
      );
    }
    const end = maskAt + 4 + length;
    if (buffer.length < end) return undefined;
    const mask = buffer.subarray(maskAt, maskAt + 4);
    const payload = Buffer.from(buffer.subarray(maskAt + 4, end));
    for (let i = 0; i < payload.length; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i & 3] ?? 0);
    this.#buffer = buffer.subarray(end);
    return { opcode, payload };
  }
}
