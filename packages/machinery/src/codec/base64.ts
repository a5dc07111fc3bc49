// Base64 as Go's encoding/base64 reads it (standard alphabet, padding required, line breaks ignored), and bytes to text
// and back.

/** Canonical text, or the offset of the first byte Go finds illegal. */
export type Base64Check =
  | { readonly canonical: string; readonly errorAt?: undefined }
  | { readonly canonical?: undefined; readonly errorAt: number };

/** Checks a text. Go lets set bits hide behind the padding; the canonical text has none. */
export function checkBase64(text: string): Base64Check {
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*$/.test(text)) return { canonical: text };
  const errorAt = firstIllegal(text);
  return errorAt === undefined ? { canonical: encodeBase64(decodeBase64(text)) } : { errorAt };
}

// Follows Go's quantum decoder: groups of four, padding only in the last one, nothing but line breaks after it.
function firstIllegal(text: string): number | undefined {
  let digits = 0;
  let at = 0;
  for (; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\n' || char === '\r') continue;
    if (/^[A-Za-z0-9+/]$/.test(char)) {
      digits++;
      continue;
    }
    if (char !== '=') return byteOffset(text, at);
    return illegalPadding(text, at, digits % 4);
  }
  return digits % 4 === 0 ? undefined : byteOffset(text, at - (digits % 4));
}

function illegalPadding(text: string, at: number, inGroup: number): number | undefined {
  if (inGroup < 2) return byteOffset(text, at);
  let next = skipLineBreaks(text, at + 1);
  if (inGroup === 2) {
    if (next === text.length) return byteOffset(text, text.length);
    if (text[next] !== '=') return byteOffset(text, next - 1);
    next = skipLineBreaks(text, next + 1);
  }
  return next === text.length ? undefined : byteOffset(text, next);
}

function skipLineBreaks(text: string, at: number): number {
  let next = at;
  while (text[next] === '\n' || text[next] === '\r') next++;
  return next;
}

function byteOffset(text: string, at: number): number {
  return Buffer.byteLength(text.slice(0, at));
}

/** The bytes of a valid text. */
export function decodeBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}

export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
