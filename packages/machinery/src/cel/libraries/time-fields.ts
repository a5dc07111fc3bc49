// Parts of timestamps and durations: `getHours('Europe/Rome')`, `getSeconds()` and their kin, and a timestamp's text.

import { goQuote } from '../../values/go-strings.ts';
import { type Implementation, type Overload, overloads } from '../functions.ts';
import type { CelDuration, CelTimestamp } from '../values.ts';
import { CelError } from '../values.ts';

const nanosPerSecond = 1_000_000_000n;
const nanosPerMilli = 1_000_000n;
const msPerDay = 86_400_000;

type Field = (local: Date) => number;

const fields: Readonly<Record<string, Field>> = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDate: (local) => local.getUTCDate(),
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDayOfWeek: (local) => local.getUTCDay(),
  getDayOfYear: (local) => Math.floor((local.getTime() - Date.UTC(local.getUTCFullYear(), 0, 1)) / msPerDay),
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
  getMilliseconds: (local) => local.getUTCMilliseconds(),
};

const ofTimestamp = Object.entries(fields).flatMap(([name, field]): [string, Implementation][] => [
  [`timestamp.${name}(): int`, ([at]) => BigInt(field(new Date(millis(at as CelTimestamp))))],
  [`timestamp.${name}(string): int`, ([at, zone]) => BigInt(field(inZone(millis(at as CelTimestamp), zone as string)))],
]);

const part = (nanosPer: bigint, modulo?: bigint): Implementation => {
  return ([value]) => {
    const whole = (value as CelDuration).nanos / nanosPer;
    return modulo === undefined ? whole : whole % modulo;
  };
};

export const timeFields: readonly Overload[] = overloads({
  ...Object.fromEntries(ofTimestamp),
  'duration.getHours(): int': part(3600n * nanosPerSecond),
  'duration.getMinutes(): int': part(60n * nanosPerSecond),
  'duration.getSeconds(): int': part(nanosPerSecond),
  'duration.getMilliseconds(): int': part(nanosPerMilli, 1000n),
});

function millis(at: CelTimestamp): number {
  const whole = at.nanos / nanosPerMilli;
  return Number(at.nanos < 0n && at.nanos % nanosPerMilli !== 0n ? whole - 1n : whole);
}

/** A date whose UTC parts are the local parts of the instant in `zone`: a fixed offset `+01:00` or a name. */
function inZone(instantMs: number, zone: string): Date {
  const [, sign, hours, minutes] = /^([+-]?)(\d+):(\d+)$/.exec(zone) ?? [];
  if (hours !== undefined && minutes !== undefined) {
    const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
    return new Date(instantMs + (sign === '-' ? -offset : offset));
  }
  const odd = /^([^:]*):/.exec(zone)?.[1];
  if (odd !== undefined) throw new CelError(`strconv.Atoi: parsing ${goQuote(odd)}: invalid syntax`);
  const parts = new Map(
    formatter(zone)
      .formatToParts(new Date(instantMs))
      .map(({ type, value }) => [type, value]),
  );
  const number = (type: string): number => Number(parts.get(type as Intl.DateTimeFormatPartTypes) ?? 0);
  const local = Date.UTC(
    number('year'),
    number('month') - 1,
    number('day'),
    number('hour') % 24,
    number('minute'),
    number('second'),
  );
  return new Date(local + (((instantMs % 1000) + 1000) % 1000));
}

const formatters = new Map<string, Intl.DateTimeFormat>();
const formattersMax = 100;

function formatter(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  let made: Intl.DateTimeFormat;
  try {
    made = new Intl.DateTimeFormat('en-u-ca-iso8601', {
      timeZone: zone === '' || zone === 'Local' ? 'UTC' : zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
  if (formatters.size >= formattersMax) formatters.clear();
  formatters.set(zone, made);
  return made;
}

/** RFC 3339 in UTC with as many fraction digits as are needed. */
export function formatInstant(nanos: bigint): string {
  let seconds = nanos / nanosPerSecond;
  let fraction = nanos % nanosPerSecond;
  if (fraction < 0n) {
    seconds -= 1n;
    fraction += nanosPerSecond;
  }
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, -5);
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`;
  return `${text}${digits}Z`;
}
