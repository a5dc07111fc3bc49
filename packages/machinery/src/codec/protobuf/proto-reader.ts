// Reads protobuf's wire format from a span of bytes. Errors carry the words of gogo-proto's generated code.

import { DecodeError } from '../decode-error.ts';

export class ProtoReader {
  readonly #buffer: Buffer;
  #at: number;
  #end: number;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = 0;
    this.#end = bytes.byteLength;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** Reads a length and narrows the reader to that many bytes; returns what {@link leave} needs. */
  enter(): number {
    const length = this.#length();
    const outerEnd = this.#end;
    this.#end = this.#at + length;
    return outerEnd;
  }

  /** Ends {@link enter}: the reader stands behind the message and sees what it saw before. */
  leave(outerEnd: number): void {
    this.#at = this.#end;
    this.#end = outerEnd;
  }

  /** A varint that should fit 32 bits (tags, lengths); larger ones come back inexact, and are refused where they matter. */
  smallVarint(): number {
    let result = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= this.#end) throw unexpectedEnd();
      const byte = this.#buffer[this.#at++] as number;
      result += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return result;
    }
    throw new DecodeError('proto: integer overflow');
  }

  /** A signed 64-bit integer, or an unsigned one; bigint beyond 2^53. */
  varint(unsigned: boolean): number | bigint {
    let low = 0;
    for (let shift = 0; shift < 49; shift += 7) {
      if (this.#at >= this.#end) throw unexpectedEnd();
      const byte = this.#buffer[this.#at++] as number;
      low += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return low;
    }
    let value = BigInt(low);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      if (this.#at >= this.#end) throw unexpectedEnd();
      const byte = this.#buffer[this.#at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      const integer = unsigned ? BigInt.asUintN(64, value) : BigInt.asIntN(64, value);
      const number = Number(integer);
      return Number.isSafeInteger(number) ? number : integer;
    }
    throw new DecodeError('proto: integer overflow');
  }

  double(): number {
    if (this.#end - this.#at < 8) throw unexpectedEnd();
    this.#at += 8;
    return this.#buffer.readDoubleLE(this.#at - 8);
  }

  string(): string {
    const length = this.#length();
    const start = this.#at;
    this.#at += length;
    return this.#buffer.toString('utf8', start, this.#at);
  }

  /** A view of the bytes, not a copy. */
  bytes(): Buffer {
    const length = this.#length();
    this.#at += length;
    return this.#buffer.subarray(this.#at - length, this.#at);
  }

  /** Passes over a field of any wire type. */
  skip(wireType: number): void {
    switch (wireType) {
      case 0:
        this.varint(true);
        return;
      case 1:
        this.#advance(8);
        return;
      case 2:
        this.#advance(this.#length());
        return;
      case 3:
        for (;;) {
          const inner = this.smallVarint() & 7;
          if (inner === 4) return;
          this.skip(inner);
        }
      case 4:
        throw new DecodeError('proto: unexpected end of group');
      case 5:
        this.#advance(4);
        return;
      default:
        throw new DecodeError(`proto: illegal wireType ${wireType}`);
    }
  }

  #length(): number {
    const length = this.smallVarint();
    if (length > 0x7fff_ffff) throw new DecodeError('proto: negative length found during unmarshaling');
    if (length > this.#end - this.#at) throw unexpectedEnd();
    return length;
  }

  #advance(count: number): void {
    if (count > this.#end - this.#at) throw unexpectedEnd();
    this.#at += count;
  }
}

function unexpectedEnd(): DecodeError {
  return new DecodeError('unexpected EOF');
}
