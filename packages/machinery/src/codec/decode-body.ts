// A JSON body of a known type, read the way the API server's strict decoder reads it: unknown and repeated fields are
// reported in the order of the text, numbers keep their spelling until their type is known.

import type { StructSchema } from '../schema/schema.ts';
import type { DecodeObjectOptions } from './decode-context.ts';
import { type Draft, decodeObject } from './decode-object.ts';
import { readJson, toText } from './json/read-json.ts';

export type DecodeBodyOptions = Omit<DecodeObjectOptions, 'owned' | 'plain' | 'wording'>;

/** Parses and types a JSON body in one go. @throws DecodeError with Go's text */
export function decodeBody<T = Draft>(
  body: string | Uint8Array,
  schema: StructSchema,
  options: DecodeBodyOptions = {},
): T {
  const { value, plain } = readJson(toText(body));
  return decodeObject<T>(value, schema, { ...options, owned: true, plain });
}
