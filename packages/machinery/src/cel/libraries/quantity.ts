// Kubernetes' quantity library: `quantity('1Gi').isGreaterThan(quantity('500Mi'))`.

import { parseQuantity, Quantity, QuantityError } from '../../values/quantity.ts';
import { type Overload, overloads } from '../functions.ts';
import { CelError, type CelOpaque, type CelValue } from '../values.ts';

class QuantityValue implements CelOpaque {
  readonly opaqueName = 'kubernetes.Quantity';
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof QuantityValue && this.quantity.compare(other.quantity) === 0;
  }
}

const of = (value: CelValue | undefined): Quantity => (value as QuantityValue).quantity;
const isInt64 = (value: bigint): boolean => value >= -(2n ** 63n) && value < 2n ** 63n;

export const quantities: readonly Overload[] = overloads({
  'quantity(string): Quantity': ([text]) => parse(text as string),
  'isQuantity(string): bool': ([text]) => isQuantity(text as string),
  'sign(Quantity): int': ([a]) => BigInt(of(a).sign),
  'Quantity.isInteger(): bool': ([a]) => integerOf(of(a)) !== undefined,
  'Quantity.asInteger(): int': ([a]) => {
    const whole = integerOf(of(a));
    if (whole === undefined) throw new CelError('cannot convert value to integer');
    return whole;
  },
  'Quantity.asApproximateFloat(): double': ([a]) => of(a).toNumber(),
  'Quantity.add(Quantity): Quantity': ([a, b]) => new QuantityValue(of(a).add(of(b))),
  'Quantity.add(int): Quantity': ([a, b]) => new QuantityValue(of(a).add(Quantity.of(b as bigint))),
  'Quantity.sub(Quantity): Quantity': ([a, b]) => new QuantityValue(of(a).sub(of(b))),
  'Quantity.sub(int): Quantity': ([a, b]) => new QuantityValue(of(a).sub(Quantity.of(b as bigint))),
  'Quantity.isLessThan(Quantity): bool': ([a, b]) => of(a).compare(of(b)) < 0,
  'Quantity.isGreaterThan(Quantity): bool': ([a, b]) => of(a).compare(of(b)) > 0,
  'Quantity.compareTo(Quantity): int': ([a, b]) => BigInt(of(a).compare(of(b))),
});

/** Longer texts are not read: reading digits takes more than linear time. */
const quantityLengthMax = 1000;

function parse(text: string): QuantityValue {
  if (text.length > quantityLengthMax) throw new CelError('unable to parse numeric part of quantity');
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) throw new CelError(error.message);
    throw error;
  }
}

function isQuantity(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The whole number, if the quantity is one and fits 64 bits. */
function integerOf(quantity: Quantity): bigint | undefined {
  const whole = quantity.scaledBigInt(0);
  return Quantity.of(whole).compare(quantity) === 0 && isInt64(whole) ? whole : undefined;
}
