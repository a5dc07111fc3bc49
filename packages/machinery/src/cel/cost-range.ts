// Ranges of sizes and costs, and the arithmetic of the estimator: unsigned 64-bit numbers that stay at their maximum.

/** Upstream counts in unsigned 64 bits and stays at their maximum. */
export const costMax = 2 ** 64;

/** At least and at most: of a size (characters, bytes, items, entries), or of a cost. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const unknownSize: Range = { min: 0, max: costMax };
export const nothing: Range = { min: 0, max: 0 };
export const one: Range = { min: 1, max: 1 };

const clamp = (value: number): number => Math.min(value, costMax);

export const fixed = (value: number): Range => ({ min: clamp(value), max: clamp(value) });

export function add(a: Range, b: Range): Range {
  return { min: clamp(a.min + b.min), max: clamp(a.max + b.max) };
}

export function multiply(a: Range, b: Range): Range {
  return { min: clamp(a.min * b.min), max: clamp(a.max * b.max) };
}

/** Rounded up to whole units. */
export function times(a: Range, factor: number): Range {
  return { min: clamp(Math.ceil(a.min * factor)), max: clamp(Math.ceil(a.max * factor)) };
}

export function union(a: Range, b: Range): Range {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
