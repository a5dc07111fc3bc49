// IntOrString (`intstr.IntOrString`): a number or a text, mostly a percentage, as JSON shows it.

import { goQuote } from './go-strings.ts';

export type IntOrString = number | string;

/** A value that is neither a number nor a percentage; the message is Go's. */
export class IntOrStringError extends Error {
  override readonly name = 'IntOrStringError';
}

/**
 * Resolves `5` or `"25%"` against a total: percentages are rounded up or down.
 *
 * @throws IntOrStringError for texts that are no percentage, and for no value at all
 */
export function scaledIntOrPercent(value: IntOrString | undefined, total: number, roundUp: boolean): number {
  if (value === undefined) throw new IntOrStringError('nil value for IntOrString');
  if (typeof value === 'number') return value;
  if (!value.endsWith('%')) {
    throw new IntOrStringError('invalid value for IntOrString: invalid type: string is not a percentage');
  }
  const digits = value.slice(0, -1);
  const percent = atoi(digits);
  if (percent === undefined) {
    throw new IntOrStringError(
      `invalid value for IntOrString: invalid value ${goQuote(value)}: strconv.Atoi: parsing ${goQuote(digits)}: invalid syntax`,
    );
  }
  const scaled = (percent * total) / 100;
  return roundUp ? Math.ceil(scaled) : Math.floor(scaled);
}

/** The number, or the number a text spells (0 when it spells none), as Go's IntValue. */
export function intOrStringValue(value: IntOrString): number {
  return typeof value === 'number' ? value : (atoi(value) ?? 0);
}

/** Go's strconv.Atoi for numbers a double holds exactly; undefined for anything else. */
export function atoi(text: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}
