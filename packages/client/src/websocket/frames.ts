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

/** What the other side must not send; `closeCode` is what it is told (RFC 6455 §7.4). */
export class FrameError extends Error {
  override readonly name = 'FrameError';
  readonly closeCode: number;

  constructor(message: string, closeCode = 1002) {
    super(message);
    this.closeCode = closeCode;
  }
}

const known = new Set<number>(Object.values(opcodes));
const headerBytesMin = 2;
const controlBytesMax = 125;

/** Cuts incoming bytes into frames. A byte is copied a bounded number of times, however small the pieces it comes in. */
export class FrameReader {
  readonly #payloadBytesMax: number;
  readonly #from: 'client' | 'server';
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** With fewer bytes no frame, or header, is complete. */
  #wanted = headerBytesMin;

  /** @param from - who sends the frames: clients mask them, servers do not */
  constructor(payloadBytesMax: number, from: 'client' | 'server' = 'client') {
    this.#payloadBytesMax = payloadBytesMax;
    this.#from = from;
  }

  /** Frames that are complete with these bytes. @throws FrameError for frames beyond the bound, or against the protocol */
  push(bytes: Uint8Array): readonly Frame[] {
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes < this.#wanted) return [];
    let rest = Buffer.concat(this.#chunks, this.#bytes);
    const frames: Frame[] = [];
    for (let found = this.#next(rest); found !== undefined; found = this.#next(rest)) {
      frames.push(found.frame);
      rest = rest.subarray(found.bytes);
    }
    this.#chunks = [rest];
    this.#bytes = rest.length;
    return frames;
  }

  /** The first frame; undefined when it is not all there, and then `#wanted` is what it takes to know more. */
  #next(buffer: Buffer): { readonly frame: Frame; readonly bytes: number } | undefined {
    this.#wanted = headerBytesMin;
    if (buffer.length < headerBytesMin) return undefined;
    const first = buffer[0] ?? 0;
    const second = buffer[1] ?? 0;
    const opcode = first & 0x0f;
    const final = (first & 0x80) !== 0;
    const masked = (second & 0x80) !== 0;
    const short = second & 0x7f;
    this.#check(first, masked);
    if (opcode >= opcodes.close && (!final || short > controlBytesMax))
      throw new FrameError('Cannot read a WebSocket frame: a control frame is whole and of at most 125 bytes');
    const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
    const payloadAt = headerBytesMin + lengthBytes + (masked ? 4 : 0);
    this.#wanted = payloadAt;
    if (buffer.length < payloadAt) return undefined;
    const length =
      lengthBytes === 0 ? short : lengthBytes === 2 ? buffer.readUInt16BE(2) : Number(buffer.readBigUInt64BE(2));
    if (length > this.#payloadBytesMax) {
      throw new FrameError(
        `Cannot read a WebSocket frame: at most ${this.#payloadBytesMax} bytes are taken, found ${length}`,
        1009,
      );
    }
    const end = payloadAt + length;
    this.#wanted = end;
    if (buffer.length < end) return undefined;
    const payload = Buffer.from(buffer.subarray(payloadAt, end));
    if (masked) applyMask(payload, buffer.subarray(payloadAt - 4, payloadAt));
    return { frame: { opcode, final, payload }, bytes: end };
  }

  #check(first: number, masked: boolean): void {
    if (masked !== (this.#from === 'client')) {
      throw new FrameError(
        `Cannot read a WebSocket frame: ${masked ? 'servers must not mask, this one does' : 'clients must mask, this one does not'}`,
      );
    }
    if ((first & 0x70) !== 0 || !known.has(first & 0x0f))
      throw new FrameError('Cannot read a WebSocket frame: it uses an extension that was not agreed on');
  }
}
