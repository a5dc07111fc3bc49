// Formats of dates, times and durations.

import { DurationError, parseDuration } from '../values/duration.ts';

/** `2006-01-02`, a day that exists. */
export function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** RFC 3339: a date, `T`, a time with zone. A leap second is refused. */
export function isDateTime(text: string): boolean {
  const [date = '', time, ...rest] = text.toLowerCase().split('t');
  if (time === undefined || rest.length > 0 || !isDate(date)) return false;
  const [, hour, minute, second] = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  return hour !== undefined && Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59;
}

const scalaUnits: readonly string[] = ['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk'];
const scalaUnitStarts: readonly string[] = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];

const atoiMax = 2n ** 63n - 1n;

/** A Go duration (`1h30m`), or a text with Scala's durations in it (`2 days 4 hours`), where one known unit is enough. */
export function isScalaDuration(text: string): boolean {
  try {
    parseDuration(text);
    return true;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
  }
  let isKnown = false;
  // Numbers without a unit are matched too, or each of their digits would be tried as a beginning.
  for (const [, number = '', unit = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]*)/g)) {
    if (unit === '') continue;
    if (number.length > 18 && BigInt(number) > atoiMax) return false;
    const lower = unit.toLowerCase();
    isKnown ||= scalaUnits.includes(lower) || scalaUnitStarts.some((start) => lower.startsWith(start));
  }
  return isKnown;
}
