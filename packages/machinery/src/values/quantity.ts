// Quantities (`resource.Quantity`): exact decimal numbers with a suffix family, such as `100m`, `1Gi`, `12e6`.
// Parsing, canonical text, comparison and sums follow Go's type to the letter, its quirks included (a text that Go
// keeps as written is kept here). Values are immutable and parsing is memoised: the same few texts come again and again.
// Deliberately without Go's int64 overflow: sums and values are exact.

import { decimalSuffix, interpretSuffix, type QuantityFormat, suffixOf } from './quantity-suffix.ts';

export type { QuantityFormat } from './quantity-suffix.ts';

/** A text that is no quantity; the message is Go's. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const suffixWrong = "unable to parse quantity's suffix";
const numericWrong = 'unable to parse numeric part of quantity';

const nano = -9;
const int64Max = 2n ** 63n - 1n;
/** Digits an int64 surely holds: up to here Go parses the fast way, which decides whether it keeps the text. */
const fastDigits = 18;

/** `mantissa × 10^exponent`, to be printed in `format`. */
export class Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  #text: string | undefined;

  constructor(mantissa: bigint, exponent: number, format: QuantityFormat, text?: string) {
    this.mantissa = mantissa;
    this.exponent = exponent;
    this.format = format;
    this.#text = text;
  }

  /** A whole number: `Quantity.of(3)`, `Quantity.of(1024, 'BinarySI')`. */
  static of(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value), 0, format);
  }

  /** Thousandths: `Quantity.ofMilli(1500)` is `1500m`. */
  static ofMilli(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value), -3, format);
  }

  get isZero(): boolean {
    return this.mantissa === 0n;
  }

  /** -1, 0 or 1. */
  get sign(): -1 | 0 | 1 {
    return this.mantissa === 0n ? 0 : this.mantissa > 0n ? 1 : -1;
  }

  compare(other: Quantity): -1 | 0 | 1 {
    const [a, b] = aligned(this, other);
    return a === b ? 0 : a < b ? -1 : 1;
  }

  /** The sum; a zero takes over the other's suffix family, as in Go. */
  add(other: Quantity): Quantity {
    const [a, b, exponent] = aligned(this, other);
    return new Quantity(a + b, exponent, this.isZero ? other.format : this.format);
  }

  sub(other: Quantity): Quantity {
    const [a, b, exponent] = aligned(this, other);
    return new Quantity(a - b, exponent, this.isZero ? other.format : this.format);
  }

  mul(factor: number | bigint): Quantity {
    return new Quantity(this.mantissa * BigInt(factor), this.exponent, this.format);
  }

  neg(): Quantity {
    return new Quantity(-this.mantissa, this.exponent, this.format);
  }

  /** The number at 10^`scale`, rounded away from zero. */
  scaledBigInt(scale: number): bigint {
    return scaleTo(this.mantissa, this.exponent, scale)[0];
  }

  /** Whole units, rounded away from zero; beyond 2^53 the nearest double. */
  value(): number {
    return Number(this.scaledBigInt(0));
  }

  /** Thousandths, rounded away from zero; beyond 2^53 the nearest double. */
  milliValue(): number {
    return Number(this.scaledBigInt(-3));
  }

  /** The nearest double. */
  toNumber(): number {
    return Number(`${this.mantissa}e${this.exponent}`);
  }

  /** The canonical text, or the text it was parsed from where Go keeps that. */
  toString(): string {
    this.#text ??= canonicalText(this);
    return this.#text;
  }
}

const parsed = new Map<string, Quantity>();
const parsedMax = 4096;

/** Parses a quantity. @throws QuantityError with Go's text */
export function parseQuantity(text: string): Quantity {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const quantity = parse(text);
  if (parsed.size >= parsedMax) parsed.clear();
  parsed.set(text, quantity);
  return quantity;
}

/** The text a quantity has after a round trip through Go: `1000m` → `1`. @throws QuantityError */
export function canonicalQuantity(text: string): string {
  return parseQuantity(text).toString();
}

export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

/** Compares by value: `1000m` equals `1`. Texts must be quantities. */
export function compareQuantity(a: string | Quantity, b: string | Quantity): -1 | 0 | 1 {
  if (a === b) return 0;
  return toQuantity(a).compare(toQuantity(b));
}

export function addQuantities(a: string | Quantity, b: string | Quantity): Quantity {
  return toQuantity(a).add(toQuantity(b));
}

export function subtractQuantities(a: string | Quantity, b: string | Quantity): Quantity {
  return toQuantity(a).sub(toQuantity(b));
}

function toQuantity(value: string | Quantity): Quantity {
  return typeof value === 'string' ? parseQuantity(value) : value;
}

// sign, leading zeros, digits, fraction; what follows is the suffix.
const numberPattern = /^([+-]?)(0*)([0-9]*)(?:\.([0-9]*))?/;
const suffixPattern = /^[eEinumkKMGTP]*[-+]?[0-9]*$/;

function parse(text: string): Quantity {
  if (text === '') throw new QuantityError(formatWrong);
  if (text === '0') return new Quantity(0n, 0, 'DecimalSI', '0');
  const match = numberPattern.exec(text);
  const [number = '', sign = '', zeros = '', digits = '', fraction = ''] = match ?? [];
  const suffix = text.slice(number.length);
  if (!suffixPattern.test(suffix)) throw new QuantityError(formatWrong);
  const meaning = interpretSuffix(suffix);
  if (meaning === undefined) throw new QuantityError(suffixWrong);
  const { base, exponent, format } = meaning;
  const whole = digits === '' ? '0' : digits;
  const shifted = whole + fraction;
  const negative = sign === '-';
  const value = BigInt(shifted);
  // A number without any digit is 0 to Go's fast path, and an error to its slow one.
  const hasDigits = zeros + digits + fraction !== '';
  const signed = (n: bigint): bigint => (negative ? -n : n);

  if (base === 2) {
    const scaled = value << BigInt(exponent);
    const precision = 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1;
    if (fraction === '' && precision >= 0) {
      const keepsText = value % 8n !== 0n;
      return new Quantity(signed(scaled), 0, format, keepsText ? text : undefined);
    }
    if (!hasDigits) throw new QuantityError(numericWrong);
    return roundToNano(scaled, -fraction.length, format, negative);
  }
  const scale = exponent - fraction.length;
  if (shifted.length <= fastDigits && scale >= nano) {
    const keepsText = scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
    return new Quantity(signed(value), scale, format, keepsText ? text : undefined);
  }
  if (!hasDigits) throw new QuantityError(numericWrong);
  return roundToNano(value, scale, format, negative);
}

// What Go does with numbers its fast path can't hold: round up to nano, cap binary ones at int64.
function roundToNano(mantissa: bigint, exponent: number, format: QuantityFormat, negative: boolean): Quantity {
  let value = mantissa;
  let scale = exponent;
  let family = format;
  if (value !== 0n && scale < nano) {
    [value] = scaleTo(value, scale, nano);
    scale = nano;
  }
  if (format === 'BinarySI') {
    const [units] = scaleTo(value, scale, 0);
    if (units > int64Max) [value, scale] = [int64Max, 0];
    if (value > 0n && units <= 1n && scaleTo(value, scale, 0)[1] === false) family = 'DecimalSI';
  }
  return new Quantity(negative ? -value : value, scale, family);
}

function canonicalText(quantity: Quantity): string {
  if (quantity.isZero) return '0';
  if (quantity.format === 'BinarySI') {
    const [units, exact] = scaleTo(quantity.mantissa, quantity.exponent, 0);
    if (exact && (units <= -1024n || units >= 1024n)) {
      let [amount, times] = [units, 0];
      while (amount % 1024n === 0n) [amount, times] = [amount / 1024n, times + 1];
      return `${amount}${suffixOf(times * 10)}`;
    }
  }
  let [amount, exponent] = [quantity.mantissa, quantity.exponent];
  while (amount % 10n === 0n) [amount, exponent] = [amount / 10n, exponent + 1];
  while (exponent % 3 !== 0) [amount, exponent] = [amount * 10n, exponent - 1];
  if (quantity.format === 'DecimalExponent') return exponent === 0 ? String(amount) : `${amount}e${exponent}`;
  return `${amount}${decimalSuffix(exponent)}`;
}

function aligned(a: Quantity, b: Quantity): [bigint, bigint, number] {
  if (a.exponent === b.exponent) return [a.mantissa, b.mantissa, a.exponent];
  if (a.exponent > b.exponent) return [a.mantissa * 10n ** BigInt(a.exponent - b.exponent), b.mantissa, b.exponent];
  return [a.mantissa, b.mantissa * 10n ** BigInt(b.exponent - a.exponent), a.exponent];
}

/** The number at another power of ten, rounded away from zero, and whether that was exact. */
function scaleTo(mantissa: bigint, exponent: number, scale: number): [value: bigint, exact: boolean] {
  if (exponent >= scale) return [mantissa * 10n ** BigInt(exponent - scale), true];
  const divisor = 10n ** BigInt(scale - exponent);
  const quotient = mantissa / divisor;
  const exact = quotient * divisor === mantissa;
  if (exact) return [quotient, true];
  return [mantissa > 0n ? quotient + 1n : quotient - 1n, false];
}
