// The kind a JSON body says it has, read before its type is known; the messages are those of upstream's probe.

import type { Json } from '../schema/schema.ts';
import { DecodeError } from './decode-error.ts';
import { describe } from './decode-scalar.ts';
import type { ParsedJson } from './json/parsed-json.ts';

export interface TypeMeta {
  /** Empty when absent. */
  readonly apiVersion: string;
  readonly kind: string;
}

const probe = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** Reads apiVersion and kind; names in any case, as the probe does. @throws DecodeError with Go's text */
export function readTypeMeta(value: Json): TypeMeta {
  if (value === null) return { apiVersion: '', kind: '' };
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new DecodeError(`json: cannot unmarshal ${describe(value as ParsedJson)} into Go value of type ${probe}`);
  }
  const meta = { apiVersion: '', kind: '' };
  for (const [key, item] of Object.entries(value as { readonly [key: string]: Json })) {
    const name = key.length > 10 ? '' : key.toLowerCase();
    if (name !== 'apiversion' && name !== 'kind') continue;
    const field = name === 'kind' ? 'kind' : 'apiVersion';
    if (typeof item === 'string') meta[field] = item;
    else if (item !== null) {
      throw new DecodeError(
        `json: cannot unmarshal ${describe(item as ParsedJson)} into Go struct field .${field} of type string`,
      );
    }
  }
  return meta;
}
