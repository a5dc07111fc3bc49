// One cheap look over a JSON text that JSON.parse has already accepted: does it hold what plain JavaScript values lose?

import { nestingMax } from './parse-json.ts';

export interface JsonScan {
  /** Colons outside strings: the number of keys, repeated ones included. */
  readonly keys: number;
  /** Every number is an integer of at most 15 digits, written plainly. */
  readonly plainNumbers: boolean;
  readonly tooDeep: boolean;
}

/** Scans a valid JSON text; linear, no allocation. */
export function scanJson(text: string): JsonScan {
  let keys = 0;
  let depth = 0;
  let plainNumbers = true;
  let tooDeep = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22 /* " */) {
      i = endOfString(text, i + 1);
    } else if (code === 0x3a /* : */) {
      keys++;
    } else if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      if (++depth > nestingMax) tooDeep = true;
    } else if (code === 0x7d /* } */ || code === 0x5d /* ] */) {
      depth--;
    } else if ((code >= 0x30 && code <= 0x39) || code === 0x2d /* - */) {
      const start = i;
      while (isNumberChar(text.charCodeAt(i + 1))) i++;
      if (plainNumbers) plainNumbers = isPlain(text, start, i + 1);
    }
  }
  return { keys, plainNumbers, tooDeep };
}

function endOfString(text: string, start: number): number {
  let i = start;
  for (;;) {
    const code = text.charCodeAt(i);
    if (code === 0x22 /* " */) return i;
    i += code === 0x5c /* \ */ ? 2 : 1;
  }
}

// Digits, the sign, the point, and the letter of an exponent.
function isNumberChar(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x65 || code === 0x45 || code === 0x2b || code === 0x2d
  );
}

function isPlain(text: string, start: number, end: number): boolean {
  const negative = text.charCodeAt(start) === 0x2d;
  if (end - start > 15) return false;
  for (let i = negative ? start + 1 : start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x30 || code > 0x39) return false;
  }
  return !negative || text.charCodeAt(start + 1) !== 0x30;
}
