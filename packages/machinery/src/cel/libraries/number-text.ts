// Numbers and durations as text without exponents.

/** All digits, no exponent: Go's `%f` with the shortest precision. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const text = String(Object.is(value, -0) ? '-0' : value);
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-][0-9]+))?$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  return `${sign}${digits.slice(0, point).padEnd(point, '0')}${point < digits.length ? `.${digits.slice(point)}` : ''}`;
}

/** A duration as seconds: `90.5s`. */
export function secondsText(nanos: bigint): string {
  return `${doubleText(Number(nanos) / 1e9)}s`;
}
