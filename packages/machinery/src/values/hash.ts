// The hashes Kubernetes puts into names: FNV-1a (`pod-template-hash`), FNV-1 (controller revisions), and the
// encoding that keeps them clear of vowels. What is hashed is the controllers' business.

const offset = 0x811c9dc5;
const prime = 0x01000193;
const safeAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** FNV-1a, 32 bits; `seed` continues an earlier hash. */
export function fnv32a(data: string | Uint8Array, seed = offset): number {
  let hash = seed;
  for (const byte of toBytes(data)) hash = Math.imul(hash ^ byte, prime);
  return hash >>> 0;
}

/** FNV-1, 32 bits; `seed` continues an earlier hash. */
export function fnv32(data: string | Uint8Array, seed = offset): number {
  let hash = seed;
  for (const byte of toBytes(data)) hash = Math.imul(hash, prime) ^ byte;
  return hash >>> 0;
}

/** Each byte of the text as a letter of the safe alphabet: digits become `4567 89bcdf`. */
export function safeEncode(text: string): string {
  let out = '';
  for (const byte of toBytes(text)) out += safeAlphabet.charAt(byte % safeAlphabet.length);
  return out;
}

function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? new TextEncoder().encode(data) : data;
}
