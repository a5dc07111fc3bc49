// Optional types: optional.of, optional.none, optional.ofNonZeroValue, optional.unwrap, hasValue, value, or, orValue, unwrapOpt.

import { type Implementation, type Overload, overloads, overloadsOf } from '../functions.ts';
import { CelDuration, CelError, CelList, CelOptional, CelTimestamp, CelUint, type CelValue, isMap } from '../values.ts';

const some = (value: CelValue | undefined): CelOptional => value as CelOptional;

/** The values of a list that are there. */
const unwrap: Implementation = ([list]) =>
  CelList.of(Array.from(list as CelList, some).flatMap(({ value }) => (value === undefined ? [] : [value])));

export const optionals: readonly Overload[] = [
  ...overloadsOf('optional.of', { '(A): optional(A)': ([value]) => new CelOptional(value) }),
  ...overloadsOf('optional.none', { '(): optional(A)': () => CelOptional.none }),
  ...overloadsOf('optional.unwrap', { '(list(optional(A))): list(A)': unwrap }),
  ...overloadsOf('optional.ofNonZeroValue', {
    '(A): optional(A)': ([value]) => (isZero(value as CelValue) ? CelOptional.none : new CelOptional(value)),
  }),
  ...overloads({
    'optional(A).hasValue(): bool': ([value]) => some(value).value !== undefined,
    'optional(A).value(): A': ([value]) => {
      const inner = some(value).value;
      if (inner === undefined) throw new CelError('optional.none() dereference');
      return inner;
    },
    'optional(A).or(optional(A)): optional(A)': ([value, other]) =>
      some(value).value === undefined ? some(other) : some(value),
    'list(optional(A)).unwrapOpt(): list(A)': unwrap,
    'optional(A).orValue(A): A': ([value, other]) =>
      some(value).value ?? (some(value).value === null ? null : (other as CelValue)),
  }),
];

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration || value instanceof CelTimestamp) return value.nanos === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  return (value instanceof CelList || isMap(value)) && value.size === 0;
}
