// Go durations: `1m30s`, `100ms`, `1.5h`. Exact in nanoseconds (bigint); most callers want `durationMs`.

import { goQuote } from './go-strings.ts';

/** A text that is no duration; the message is Go's. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
}

const units = new Map<string, bigint>([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const int64Max = 2n ** 63n - 1n;

/** Nanoseconds of a duration text. @throws DurationError with Go's text */
export function parseDuration(text: string): bigint {
  const invalid = (): DurationError => new DurationError(`time: invalid duration ${goQuote(text)}`);
  let rest = text;
  const negative = rest.startsWith('-');
  if (negative || rest.startsWith('+')) rest = rest.slice(1);
  if (rest === '0') return 0n;
  if (rest === '') throw invalid();
  let total = 0n;
  while (rest !== '') {
    const match = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest);
    const [number = '', whole = '', fraction = ''] = match ?? [];
    if (whole === '' && fraction === '') throw invalid();
    rest = rest.slice(number.length);
    const unit = /^[^0-9.]*/.exec(rest)?.[0] ?? '';
    if (unit === '') throw new DurationError(`time: missing unit in duration ${goQuote(text)}`);
    rest = rest.slice(unit.length);
    const size = units.get(unit);
    if (size === undefined) throw new DurationError(`time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`);
    total += BigInt(whole === '' ? 0 : whole) * size;
    if (fraction !== '') total += (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
    if (total > int64Max + (negative ? 1n : 0n)) throw invalid();
  }
  return negative ? -total : total;
}

/** Milliseconds of a duration text, with a fraction where it has one. @throws DurationError */
export function durationMs(text: string): number {
  return Number(parseDuration(text)) / 1e6;
}

/** The text of a duration as Go prints it: `1m30s`, `1.5s`, `2h0m0s`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const ns = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (ns < 1_000n) return `${sign}${ns}ns`;
  if (ns < 1_000_000n) return `${sign}${withFraction(ns, 3)}µs`;
  if (ns < 1_000_000_000n) return `${sign}${withFraction(ns, 6)}ms`;
  const minutes = ns / 60_000_000_000n;
  const seconds = `${withFraction(ns % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

/** The text of a number of milliseconds. */
export function formatDurationMs(ms: number): string {
  return formatDuration(BigInt(Math.round(ms * 1e6)));
}

/** What a `metav1.Duration` becomes in Go: `90s` → `1m30s`. @throws DurationError */
export function canonicalDuration(text: string): string {
  return formatDuration(parseDuration(text));
}

function withFraction(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const fraction = String(value % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}
