// Durations of values with format `duration`: Go's syntax, or the words that go-openapi's format also takes (`3 days`).

import { parseDuration } from '../values/duration.ts';
import { CelError } from './values.ts';

const words = new Map<string, bigint>([
  ['ns', 1n], ['nano', 1n],
  ['us', 1_000n], ['µs', 1_000n], ['micro', 1_000n],
  ['ms', 1_000_000n], ['milli', 1_000_000n],
  ['s', 1_000_000_000n], ['sec', 1_000_000_000n],
  ['m', 60_000_000_000n], ['min', 60_000_000_000n],
  ['h', 3_600_000_000_000n], ['hr', 3_600_000_000_000n], ['hour', 3_600_000_000_000n],
  ['d', 86_400_000_000_000n], ['day', 86_400_000_000_000n],
  ['w', 604_800_000_000_000n], ['wk', 604_800_000_000_000n], ['week', 604_800_000_000_000n],
]); // prettier-ignore

/** Nanoseconds. @throws CelError */
export function parseLenientDuration(text: string): bigint {
  try {
    return parseDuration(text);
  } catch (error) {
    const total = parseWords(text);
    if (total === undefined) throw new CelError((error as Error).message);
    return total;
  }
}

function parseWords(text: string): bigint | undefined {
  const match = /^\s*([0-9]+)\s*([A-Za-zµ]+?)s?\s*$/.exec(text);
  const unit = words.get(match?.[2] ?? '');
  return match === null || unit === undefined ? undefined : BigInt(match[1] ?? '0') * unit;
}
