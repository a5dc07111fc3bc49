// What parse-json.ts keeps of a text that plain JavaScript values can't hold: repeated keys and the way numbers are
// written. Only the codec sees these; decodeJson() and decodeObject() turn them into plain values.

import type { Json } from '../../schema/schema.ts';

/** An object in which a key occurs more than once. */
export class RepeatedKeys {
  readonly entries: readonly (readonly [key: string, value: ParsedJson])[];

  constructor(entries: readonly (readonly [key: string, value: ParsedJson])[]) {
    this.entries = entries;
  }
}

/** A number whose text is not that of a safe integer: `2.0`, `1e3`, `0.5`, `12345678901234567890`. */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** As Go reads a number it has no type for: int64 where it fits and has no point, else float64; undefined: neither. */
  toJson(): number | bigint | undefined {
    if (/^-?[0-9]+$/.test(this.text)) {
      const integer = BigInt(this.text);
      if (BigInt.asIntN(64, integer) === integer) return toSafeNumber(integer);
    }
    const number = Number(this.text);
    return Number.isFinite(number) ? number : undefined;
  }
}

/** A number where it is exact, else the bigint. */
export function toSafeNumber(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer;
}

export type ParsedJson =
  Json | RepeatedKeys | NumberLiteral | readonly ParsedJson[] | { readonly [key: string]: ParsedJson };
