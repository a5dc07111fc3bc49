// Go's string escapes in the quoted texts of templates: `\n`, `\t`, `\x41`, `\u00e9`, `\101` and the like.

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** The text of a quoted string with its quotes; undefined when an escape is malformed. */
export function unquote(quoted: string): string | undefined {
  const quote = quoted.charAt(0);
  const body = quoted.slice(1, -1);
  if (!body.includes('\\')) return body.includes(quote) ? undefined : body;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  let rest = body;
  while (rest !== '') {
    const match = /^(?:\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)|([^\\]))/su.exec(rest);
    if (match === null) return undefined;
    rest = rest.slice(match[0].length);
    const [, escape, plain] = match;
    if (plain !== undefined) {
      if (plain === quote) return undefined;
      bytes.push(...encoder.encode(plain));
      continue;
    }
    const value = escapeBytes(escape ?? '', quote, encoder);
    if (value === undefined) return undefined;
    bytes.push(...value);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

function escapeBytes(escape: string, quote: string, encoder: TextEncoder): Iterable<number> | undefined {
  const simple = simpleEscapes[escape];
  if (simple !== undefined) return encoder.encode(simple);
  if (escape === '"' || escape === "'") return escape === quote ? encoder.encode(escape) : undefined;
  if (/^[0-7]{3}$/.test(escape)) {
    const byte = Number.parseInt(escape, 8);
    return byte > 255 ? undefined : [byte];
  }
  if (escape.length === 1) return undefined;
  const code = Number.parseInt(escape.slice(1), 16);
  if (escape.startsWith('x')) return [code];
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return encoder.encode(String.fromCodePoint(code));
}
