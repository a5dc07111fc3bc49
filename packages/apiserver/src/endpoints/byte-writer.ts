// Joins many small byte segments into few large chunks, so that a list of thousands of items becomes hundreds of socket
// writes, not tens of thousands.

const chunkBytes = 256 * 1024;

export class ByteWriter {
  #chunks: Uint8Array[] = [];
  #buffer: Buffer;
  #used = 0;
  #total = 0;

  /** `expectedBytes`: the first chunk is no larger than what will be written. */
  constructor(expectedBytes = chunkBytes) {
    this.#buffer = Buffer.allocUnsafe(Math.min(Math.max(expectedBytes, 64), chunkBytes));
  }

  get length(): number {
    return this.#total;
  }

  write(bytes: Uint8Array): void {
    this.#total += bytes.length;
    let offset = 0;
    while (offset < bytes.length) {
      if (this.#used === this.#buffer.length) this.#next(bytes.length - offset);
      const room = Math.min(this.#buffer.length - this.#used, bytes.length - offset);
      this.#buffer.set(
        offset === 0 && room === bytes.length ? bytes : bytes.subarray(offset, offset + room),
        this.#used,
      );
      this.#used += room;
      offset += room;
    }
  }

  text(text: string): void {
    this.write(Buffer.from(text, 'utf8'));
  }

  byte(value: number): void {
    if (this.#used === this.#buffer.length) this.#next(1);
    this.#buffer[this.#used++] = value;
    this.#total++;
  }

  /** Full chunks so far; they are the caller's. */
  drain(): Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  finish(): Uint8Array[] {
    if (this.#used > 0) this.#chunks.push(this.#buffer.subarray(0, this.#used));
    this.#buffer = Buffer.alloc(0);
    this.#used = 0;
    return this.drain();
  }

  #next(wanted: number): void {
    if (this.#used > 0) this.#chunks.push(this.#buffer.subarray(0, this.#used));
    this.#buffer = Buffer.allocUnsafe(wanted > chunkBytes ? wanted : chunkBytes);
    this.#used = 0;
  }
}
