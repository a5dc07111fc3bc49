// The value of a string or bytes literal: quotes and prefixes off, escapes read (CEL specification, "String and Bytes Values").

const simple = new Map([
  ['a', '\x07'], ['b', '\b'], ['f', '\f'], ['n', '\n'], ['r', '\r'], ['t', '\t'], ['v', '\v'],
  ['\\', '\\'], ["'", "'"], ['"', '"'], ['`', '`'], ['?', '?'],
]); // prettier-ignore

const escape = /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([^]))/gu;

/** The text of a literal; for bytes, each `\x` and octal escape is one byte. @throws Error for an unknown escape */
export function unescapeLiteral(literal: string): string | Uint8Array {
  const prefix = /^[rRbB]*/.exec(literal)?.[0] ?? '';
  const isBytes = /[bB]/.test(prefix);
  const quoted = literal.slice(prefix.length);
  const triple = quoted.startsWith('"""') || quoted.startsWith("'''");
  const width = triple ? 3 : 1;
  const body = quoted.slice(width, quoted.length - width).replaceAll(/\r\n?/g, '\n');
  if (/[rR]/.test(prefix)) return isBytes ? new TextEncoder().encode(body) : body;
  return isBytes ? unescapeBytes(body) : body.replaceAll(escape, (...groups) => escapedChar(groups as string[]));
}

function escapedChar([whole = '', x, upperX, u, upperU, octal, other]: readonly (string | undefined)[]): string {
  const hex = x ?? upperX ?? u ?? upperU;
  if (hex !== undefined) return codePoint(Number.parseInt(hex, 16));
  if (octal !== undefined) return codePoint(Number.parseInt(octal, 8));
  const char = simple.get(other ?? '');
  if (char === undefined) throw new Error(`unable to unescape ${whole}`);
  return char;
}

function codePoint(code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new Error('invalid unicode code point');
  return String.fromCodePoint(code);
}

function unescapeBytes(body: string): Uint8Array {
  const parts: number[] = [];
  const encoder = new TextEncoder();
  const append = (bytes: Uint8Array): void => {
    for (const byte of bytes) parts.push(byte);
  };
  let last = 0;
  for (const match of body.matchAll(escape)) {
    append(encoder.encode(body.slice(last, match.index)));
    last = match.index + match[0].length;
    const byte = match[1] ?? match[2];
    if (byte !== undefined) parts.push(Number.parseInt(byte, 16));
    else if (match[5] !== undefined) parts.push(Number.parseInt(match[5], 8));
    else append(encoder.encode(escapedChar(match)));
  }
  append(encoder.encode(body.slice(last)));
  return Uint8Array.from(parts);
}
