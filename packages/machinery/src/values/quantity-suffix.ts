// The suffixes of quantities: `n u m k M G T P E` (powers of ten), `Ki Mi Gi Ti Pi Ei` (powers of two), `e6` / `E6`.

/** The suffix family a quantity is printed in. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

export interface SuffixMeaning {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const decimal = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binary = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
]);
const decimalByExponent = new Map([...decimal].map(([suffix, exponent]) => [exponent, suffix]));
const binaryByExponent = new Map([...binary].map(([suffix, exponent]) => [exponent, suffix]));

/** What a suffix stands for; undefined when it is none. */
export function interpretSuffix(suffix: string): SuffixMeaning | undefined {
  const decimalExponent = decimal.get(suffix);
  if (decimalExponent !== undefined) return { base: 10, exponent: decimalExponent, format: 'DecimalSI' };
  const binaryExponent = binary.get(suffix);
  if (binaryExponent !== undefined) return { base: 2, exponent: binaryExponent, format: 'BinarySI' };
  if (/^[eE][-+]?[0-9]{1,18}$/.test(suffix)) {
    // Go reads an int64 and keeps 32 bits of it.
    return {
      base: 10,
      exponent: Number(BigInt.asIntN(32, BigInt(suffix.slice(1).replace('+', '')))),
      format: 'DecimalExponent',
    };
  }
  return undefined;
}

/** The suffix of a power of ten; beyond exa there is none, and Go prints none. */
export function decimalSuffix(exponent: number): string {
  return decimalByExponent.get(exponent) ?? '';
}

/** The suffix of a power of two. */
export function suffixOf(exponent: number): string {
  return binaryByExponent.get(exponent) ?? '';
}
