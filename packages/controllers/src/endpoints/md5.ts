// MD5 (RFC 1321), for the one thing it is still good for: upstream orders the ports and subsets of Endpoints by it.
// Never for anything that has to hold against an attacker.

const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21] as const;
const sines = Array.from({ length: 64 }, (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32) | 0);

/** The digest in lower-case hexadecimal. */
export function md5Hex(bytes: Uint8Array): string {
  const padded = pad(bytes);
  const state: [number, number, number, number] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
  for (let offset = 0; offset < padded.byteLength; offset += 64) mix(state, padded, offset);
  const out = new DataView(new ArrayBuffer(16));
  state.forEach((word, index) => out.setInt32(index * 4, word, true));
  return Array.from(new Uint8Array(out.buffer), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function pad(bytes: Uint8Array): DataView {
  const blocks = Math.floor((bytes.length + 8) / 64) + 1;
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n, true);
  return view;
}

function mix(state: [number, number, number, number], view: DataView, offset: number): void {
  let [a, b, c, d] = state;
  for (let i = 0; i < 64; i++) {
    const round = i >> 4;
    const [f, word] = select(round, i, b, c, d);
    const sum = (a + f + (sines[i] ?? 0) + view.getInt32(offset + word * 4, true)) | 0;
    const shift = shifts[round * 4 + (i & 3)] ?? 0;
    a = d;
    d = c;
    c = b;
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
  }
  state[0] = (state[0] + a) | 0;
  state[1] = (state[1] + b) | 0;
  state[2] = (state[2] + c) | 0;
  state[3] = (state[3] + d) | 0;
}

function select(round: number, i: number, b: number, c: number, d: number): readonly [f: number, word: number] {
  if (round === 0) return [(b & c) | (~b & d), i];
  if (round === 1) return [(d & b) | (~d & c), (5 * i + 1) & 15];
  if (round === 2) return [b ^ c ^ d, (3 * i + 5) & 15];
  return [c ^ (b | ~d), (7 * i) & 15];
}
