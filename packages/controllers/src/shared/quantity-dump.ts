// The Go value behind a quantity's text, printed: int64 amount, scale, cached string and format
// (spec/workloads.md Appendix A). Only template hashes look at it.

const decimalScales: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryShifts: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** Dumps a quantity in its canonical text form. */
export function dumpQuantity(text: string): string {
  const match = /^([+-]?\d*)(?:\.(\d*))?([a-zA-Z]*)(?:[eE]?([+-]?\d+))?$/.exec(text);
  const whole = match?.[1] ?? '0';
  const fraction = match?.[2] ?? '';
  const suffix = match?.[3] ?? '';
  const digits = BigInt(`${whole}${fraction}` || '0');
  const shift = binaryShifts[suffix];
  if (shift !== undefined) {
    const value = digits << BigInt(shift);
    const cached = (value & 7n) !== 0n ? text : '';
    return dump(value, -fraction.length, cached, 'BinarySI');
  }
  const exponent = match?.[4];
  if (exponent !== undefined && suffix.toLowerCase() === 'e')
    return dump(digits, Number(exponent) - fraction.length, '', 'DecimalExponent');
  const scale = (decimalScales[suffix] ?? 0) - fraction.length;
  if (digits === 0n) return dump(0n, 0, '0', 'DecimalSI');
  const canonical = scale % 3 === 0 && !String(digits).endsWith('000') && !/^[+-]?0/.test(`${whole}${fraction}`);
  return dump(digits, scale, canonical ? text : '', 'DecimalSI');
}

function dump(value: bigint, scale: number, cached: string, format: string): string {
  return (
    `{i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}} ` +
    `d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${cached} Format:(resource.Format)${format}}`
  );
}
