// CEL values back as JSON: for patches, messages and audit annotations that expressions make.

import { encodeBase64 } from '../codec/base64.ts';
import { formatInstant } from './libraries/time-fields.ts';
import { secondsText } from './libraries/number-text.ts';
import { CelDuration, CelError, CelList, CelOptional, CelTimestamp, CelUint, type CelValue, isMap } from './values.ts';

const safe = BigInt(Number.MAX_SAFE_INTEGER);

/** The JSON of a value; ints beyond 2^53 stay bigint, as the JSON codec has them. @throws CelError for a value that JSON has no form for */
export function toJson(value: CelValue): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return fromInt(value);
  if (value instanceof CelUint) return fromInt(value.value);
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof CelTimestamp) return formatInstant(value.nanos);
  if (value instanceof CelDuration) return secondsText(value.nanos);
  if (value instanceof CelList) return Array.from(value, toJson);
  if (value instanceof CelOptional) return value.value === undefined ? null : toJson(value.value);
  if (!isMap(value)) throw new CelError('unsupported conversion to JSON');
  return Object.fromEntries(Array.from(value.keys(), (key) => [String(toJson(key)), toJson(value.get(key) ?? null)]));
}

function fromInt(value: bigint): number | bigint {
  return value <= safe && value >= -safe ? Number(value) : value;
}
