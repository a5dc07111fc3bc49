// Reads JSON losslessly and fast: JSON.parse, then a look whether that lost anything; only then the exact reader.

import type { Json } from '../../schema/schema.ts';
import type { ParsedJson } from './parsed-json.ts';
import { parseJson } from './parse-json.ts';
import { scanJson } from './scan-json.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** UTF-8 bytes as text; a byte order mark stays, as in Go, and is a syntax error later. */
export function toText(input: string | Uint8Array): string {
  return typeof input === 'string' ? input : decoder.decode(input);
}

export type JsonReading =
  { readonly value: Json; readonly plain: true } | { readonly value: ParsedJson; readonly plain: false };

/**
 * Parses a text. `RepeatedKeys` and `NumberLiteral` come back only where the text holds such things.
 *
 * @throws DecodeError with Go's text
 */
export function readJson(input: string): JsonReading {
  const text = withoutLoneSurrogates(input);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    // V8 says what is wrong in its own words; the exact reader says it in Go's.
    return { value: parseJson(text), plain: false };
  }
  const scan = scanJson(text);
  const lossless = scan.plainNumbers && !scan.tooDeep && scan.keys === countKeys(value);
  return lossless ? { value, plain: true } : { value: parseJson(text), plain: false };
}

const escapes = /\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|[^])/g;
const loneLength = 'ud800'.length;

/** Escaped halves of surrogate pairs are no characters: Go reads U+FFFD instead. */
function withoutLoneSurrogates(text: string): string {
  if (!text.includes('\\ud') && !text.includes('\\uD')) return text;
  return text.replace(escapes, (whole, escape: string) => (escape.length === loneLength ? '\\ufffd' : whole));
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === 'object') count += countKeys(item);
    }
    return count;
  }
  const object = value as Record<string, unknown>;
  for (const key in object) {
    count++;
    const item = object[key];
    if (typeof item === 'object') count += countKeys(item);
  }
  return count;
}
