// JSON text to plain values, as Go reads a body into `interface{}`: for custom resources, patches, and whatever has no
// schema. Bodies of built-in kinds go through decode-body.ts, which knows their types.

import type { Json } from '../../schema/schema.ts';
import { DecodeError } from '../decode-error.ts';
import { NumberLiteral, type ParsedJson, RepeatedKeys } from './parsed-json.ts';
import { setProperty } from './parse-json.ts';
import { readJson, toText } from './read-json.ts';

export interface DecodeJsonOptions {
  /** Called with the path of each repeated key (`spec.replicas`, `items[0].name`), in the order of the text. */
  readonly onDuplicate?: (path: string) => void;
}

/**
 * Reads a JSON text. Integers are numbers, beyond 2^53 bigint; of repeated keys the last wins.
 *
 * @throws DecodeError with Go's text
 */
export function decodeJson(input: string | Uint8Array, options: DecodeJsonOptions = {}): Json {
  const reading = readJson(toText(input));
  return reading.plain ? reading.value : toPlain(reading.value, options.onDuplicate);
}

/** Plain values for what the reader returned; returns the value itself when it holds nothing special. */
export function toPlain(value: ParsedJson, onDuplicate?: (path: string) => void): Json {
  return plain(value, '', onDuplicate);
}

function plain(value: ParsedJson, path: string, onDuplicate: ((path: string) => void) | undefined): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof NumberLiteral) {
    const number = value.toJson();
    if (number !== undefined) return number;
    throw new DecodeError(`json: cannot unmarshal number ${value.text} into Go value of type float64`);
  }
  if (value instanceof RepeatedKeys) return plainRepeated(value, path, onDuplicate);
  return Array.isArray(value)
    ? plainArray(value as readonly ParsedJson[], path, onDuplicate)
    : plainObject(value as { readonly [key: string]: ParsedJson }, path, onDuplicate);
}

function plainArray(
  items: readonly ParsedJson[],
  path: string,
  onDuplicate: ((path: string) => void) | undefined,
): readonly Json[] {
  let changed: Json[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as ParsedJson;
    if (typeof item !== 'object' || item === null) {
      changed?.push(item);
      continue;
    }
    const result = plain(item, `${path}[${i}]`, onDuplicate);
    if (changed === undefined && result !== item) changed = items.slice(0, i) as Json[];
    changed?.push(result);
  }
  return changed ?? (items as readonly Json[]);
}

function plainObject(
  object: { readonly [key: string]: ParsedJson },
  path: string,
  onDuplicate: ((path: string) => void) | undefined,
): Json {
  let changed: { [key: string]: Json } | undefined;
  for (const key of Object.keys(object)) {
    const item = object[key] as ParsedJson;
    if (typeof item !== 'object' || item === null) continue;
    const result = plain(item, path === '' ? key : `${path}.${key}`, onDuplicate);
    if (result === item) continue;
    changed ??= { ...(object as { readonly [key: string]: Json }) };
    setProperty(changed, key, result);
  }
  return changed ?? (object as { readonly [key: string]: Json });
}

function plainRepeated(value: RepeatedKeys, path: string, onDuplicate: ((path: string) => void) | undefined): Json {
  const object: { [key: string]: Json } = {};
  for (const [key, item] of value.entries) {
    const keyPath = path === '' ? key : `${path}.${key}`;
    if (Object.hasOwn(object, key)) onDuplicate?.(keyPath);
    setProperty(object, key, plain(item, keyPath, onDuplicate));
  }
  return object;
}
