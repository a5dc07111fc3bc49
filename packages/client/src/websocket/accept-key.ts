// The handshake of RFC 6455: proves to the client that the server speaks WebSocket. SHA-1 is what the protocol asks for;
// it protects nothing here.

const protocolGuid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Value of `Sec-WebSocket-Accept` for a client's `Sec-WebSocket-Key`. */
export function acceptKey(key: string): string {
  return Buffer.from(sha1(Buffer.from(`${key}${protocolGuid}`, 'latin1'))).toString('base64');
}

function sha1(message: Uint8Array): Uint8Array {
  const length = message.length;
  const padded = Buffer.alloc((((length + 8) >> 6) + 1) << 6);
  padded.set(message);
  padded[length] = 0x80;
  padded.writeUInt32BE(length << 3, padded.length - 4);
  const state = new Uint32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]);
  const words = new Uint32Array(80);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) words[i] = padded.readUInt32BE(block + i * 4);
    for (let i = 16; i < 80; i++)
      words[i] = rotate(at(words, i - 3) ^ at(words, i - 8) ^ at(words, i - 14) ^ at(words, i - 16), 1);
    mix(state, words);
  }
  const digest = Buffer.alloc(20);
  state.forEach((word, index) => digest.writeUInt32BE(word, index * 4));
  return digest;
}

function mix(state: Uint32Array, words: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
  for (let i = 0; i < 80; i++) {
    const [value, constant] = round(i, b, c, d);
    const next = (rotate(a, 5) + value + e + constant + at(words, i)) >>> 0;
    [e, d, c, b, a] = [d, c, rotate(b, 30), a, next];
  }
  [a, b, c, d, e].forEach((word, index) => {
    state[index] = (at(state, index) + word) >>> 0;
  });
}

function round(i: number, b: number, c: number, d: number): [value: number, constant: number] {
  if (i < 20) return [((b & c) | (~b & d)) >>> 0, 0x5a827999];
  if (i < 40) return [(b ^ c ^ d) >>> 0, 0x6ed9eba1];
  if (i < 60) return [((b & c) | (b & d) | (c & d)) >>> 0, 0x8f1bbcdc];
  return [(b ^ c ^ d) >>> 0, 0xca62c1d6];
}

function rotate(value: number, by: number): number {
  return ((value << by) | (value >>> (32 - by))) >>> 0;
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}
