// Questions about quantities by their text that validations ask. The arithmetic is machinery's.

import { isQuantity, parseQuantity, Quantity } from '@homeostat/machinery';

export function isNegative(quantity: string): boolean {
  return parseQuantity(quantity).sign < 0;
}

export function isPositive(quantity: string): boolean {
  return parseQuantity(quantity).sign > 0;
}

export function isZero(quantity: string): boolean {
  return parseQuantity(quantity).isZero;
}

/** A whole number, after rounding up to thousandths. */
export function isWhole(quantity: string): boolean {
  return parseQuantity(quantity).scaledBigInt(-3) % 1000n === 0n;
}

/** The whole number, rounded away from zero. */
export function valueOf(quantity: string): bigint {
  return parseQuantity(quantity).scaledBigInt(0);
}

export function quantityOrUndefined(text: string): string | undefined {
  return isQuantity(text) ? text : undefined;
}

/** Rounds up to thousandths: finer amounts can't be kept. */
export function roundUpToMilli(quantity: string): string {
  const parsed = parseQuantity(quantity);
  return parsed.exponent >= -3 ? quantity : Quantity.ofMilli(parsed.scaledBigInt(-3), parsed.format).toString();
}
