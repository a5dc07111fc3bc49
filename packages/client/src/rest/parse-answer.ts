// JSON of a server as values. The engine's own parser is the fastest there is, but it rounds integers beyond 2^53, which custom
// resources may hold; texts that may have one go through the exact reader, as bigint.

import { decodeJson } from '@homeostat/machinery';

/** Decodes JSON. @throws SyntaxError or DecodeError when it is none. */
export function parseAnswer(text: string): unknown {
  return longInteger.test(text) ? decodeJson(text) : JSON.parse(text);
}

/** A false alarm, from inside a string, costs time only. */
const longInteger = /[:,[]\s?-?\d{16}/;
