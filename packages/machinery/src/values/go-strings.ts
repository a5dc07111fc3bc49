// Strings as Go orders, quotes and escapes them: byte order of UTF-8, `%q`, and JSON as encoding/json writes it.
// Texts in error messages, orders in answers and keys of managed fields depend on these details.

import type { Json } from '../schema/schema.ts';

/** Compares by UTF-8 bytes, as Go's `<` does: JavaScript's `<` puts U+E000…U+FFFF above the astral planes. */
export function compareBytewise(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    if (x >= 0xd800 && y >= 0xd800) {
      // Surrogates stand for code points above all of the basic plane.
      x = x >= 0xe000 ? x - 0x800 : x + 0x2000;
      y = y >= 0xe000 ? y - 0x800 : y + 0x2000;
    }
    return x < y ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

const quoteEscapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** Go's `%q`: double quotes, `\a \b \f \n \r \t \v`, `\xNN` for other control bytes, `\u`/`\U` for unprintable characters. */
export function goQuote(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are the point
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) {
    const escape = quoteEscapes[char];
    if (escape !== undefined) {
      out += escape;
      continue;
    }
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, '0')}`;
    else if (code < 0x7f || isPrintable(char)) out += char;
    else if (code >= 0xd800 && code <= 0xdfff) out += '\ufffd';
    else if (code < 0x1_0000) out += `\\u${code.toString(16).padStart(4, '0')}`;
    else out += `\\U${code.toString(16).padStart(8, '0')}`;
  }
  return `${out}"`;
}

// Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols; of the spaces only U+0020.
function isPrintable(char: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

/** A JSON string as encoding/json writes it: `<`, `>`, `&` and the line separators are escaped. */
export function goJsonString(text: string): string {
  const json = JSON.stringify(text);
  return /[<>&\u2028\u2029]/.test(json) ? json.replaceAll(/[<>&\u2028\u2029]/g, unicodeEscape) : json;
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** JSON of a value as `json.Marshal` writes a `map[string]interface{}`: keys in byte order, HTML characters escaped. */
export function goJson(value: Json | undefined): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'string':
      return goJsonString(value);
    case 'number':
      return goJsonNumber(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
  }
  if (isJsonArray(value)) return `[${value.map(goJson).join(',')}]`;
  const keys = Object.keys(value).sort(compareBytewise);
  const parts: string[] = [];
  for (const key of keys) if (value[key] !== undefined) parts.push(`${goJsonString(key)}:${goJson(value[key])}`);
  return `{${parts.join(',')}}`;
}

function isJsonArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

// encoding/json turns to the exponent form below 1e-6 and from 1e21 on, like JavaScript, but writes `1e-7` alike too.
function goJsonNumber(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
