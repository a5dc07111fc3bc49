// Writes protobuf back to front, as gogo-proto does for Kubernetes: the length of a message is known when its tag is
// written, and nothing is measured beforehand.

const initialBytes = 8192;

export class ProtoWriter {
  #buffer = Buffer.allocUnsafeSlow(initialBytes);
  /** Where the written part begins; it ends at the buffer's end. */
  #start = initialBytes;

  /** How many bytes are written. Differences of it are lengths. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return new Uint8Array(this.#buffer.subarray(this.#start));
  }

  /** Empties the writer for the next message; the memory stays, up to a limit. */
  reset(): void {
    if (this.#buffer.length > 1 << 20) this.#buffer = Buffer.allocUnsafeSlow(initialBytes);
    this.#start = this.#buffer.length;
  }

  tag(field: number, wireType: number): void {
    this.varint(field * 8 + wireType);
  }

  /** The length prefix and tag of everything written since `before`. */
  closeMessage(before: number, field: number): void {
    this.varint(this.length - before);
    this.tag(field, 2);
  }

  /** Negative numbers take ten bytes, as two's complement of 64 bits. */
  varint(value: number | bigint): void {
    if (typeof value === 'bigint' || value < 0 || value > 0x7fff_ffff) {
      this.#longVarint(BigInt.asUintN(64, BigInt(value)));
      return;
    }
    const size = value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
    this.#reserve(size);
    let at = this.#start - size;
    this.#start = at;
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#buffer[at] = rest;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#buffer.writeDoubleLE(value, this.#start);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#start -= value.length;
    this.#buffer.set(value, this.#start);
  }

  /** The text alone; its length is the difference of {@link length}. */
  string(text: string): void {
    const size = text.length;
    this.#reserve(size);
    // Short ASCII, the usual case, is faster by hand than through a call into C++.
    if (size < 40) {
      let at = this.#start;
      let i = size - 1;
      for (; i >= 0; i--) {
        const code = text.charCodeAt(i);
        if (code >= 0x80) break;
        this.#buffer[--at] = code;
      }
      if (i < 0) {
        this.#start = at;
        return;
      }
    }
    const bytes = Buffer.byteLength(text, 'utf8');
    this.#reserve(bytes);
    this.#start -= bytes;
    this.#buffer.write(text, this.#start, bytes, 'utf8');
  }

  #longVarint(value: bigint): void {
    const bytes: number[] = [];
    let rest = value;
    while (rest >= 0x80n) {
      bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    this.bytes(Uint8Array.from(bytes));
  }

  #reserve(size: number): void {
    if (this.#start >= size) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, this.length + size));
    const start = grown.length - this.length;
    this.#buffer.copy(grown, start, this.#start);
    this.#buffer = grown;
    this.#start = start;
  }
}
