// Cron schedules in the five-field format of CronJobs, as `github.com/robfig/cron` reads them: fields, names, steps, and
// the descriptors `@hourly` … `@every 5m`. Parses only; when a schedule fires next is the CronJob controller's question.

import { DurationError, durationMs } from '@homeostat/machinery';

/** When a schedule fires: at fixed distances, or whenever all fields match. */
export type CronSchedule =
  | { readonly kind: 'every'; readonly ms: number; readonly timeZone?: string }
  | {
      readonly kind: 'fields';
      readonly minutes: ReadonlySet<number>;
      readonly hours: ReadonlySet<number>;
      readonly daysOfMonth: ReadonlySet<number>;
      readonly months: ReadonlySet<number>;
      /** 0 is Sunday. */
      readonly daysOfWeek: ReadonlySet<number>;
      /** Whether the field was `*`: a day matches when both day fields do, or either of them when neither is `*`. */
      readonly anyDayOfMonth: boolean;
      readonly anyDayOfWeek: boolean;
      /** From a `TZ=` or `CRON_TZ=` prefix, which only old objects have. */
      readonly timeZone?: string;
    };

export class CronError extends Error {
  override readonly name = 'CronError';
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const minuteBounds: Bounds = { min: 0, max: 59 };
const hourBounds: Bounds = { min: 0, max: 23 };
const dayOfMonthBounds: Bounds = { min: 1, max: 31 };
const monthBounds: Bounds = {
  min: 1,
  max: 12,
  names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const dayOfWeekBounds: Bounds = { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] };

const descriptors: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

/** Reads a schedule; @throws CronError with upstream's words when it is malformed. */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === '') throw new CronError('empty spec string');
  const zone = /^(?:CRON_)?TZ=(\S*)(?:\s+|$)(.*)$/s.exec(text);
  if (zone === null) return parseUnzoned(text);
  const timeZone = zone[1] ?? '';
  if (!isTimeZone(timeZone)) throw new CronError(`provided bad location ${timeZone}: unknown time zone ${timeZone}`);
  return { ...parseUnzoned((zone[2] ?? '').trim()), timeZone };
}

/** Whether the name is in the time zone database; offsets such as `+01:00` are not names. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC') return true;
  if (!/^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    // RangeError is how Intl says that it does not know the zone.
    return false;
  }
}

function parseUnzoned(text: string): CronSchedule {
  if (text.startsWith('@')) return parseDescriptor(text);
  const fields = text.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== 5) {
    throw new CronError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  }
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = fields;
  const minutes = parseField(minute, minuteBounds);
  const hours = parseField(hour, hourBounds);
  const daysOfMonth = parseField(dayOfMonth, dayOfMonthBounds);
  const months = parseField(month, monthBounds);
  const daysOfWeek = parseField(dayOfWeek, dayOfWeekBounds);
  return {
    kind: 'fields',
    minutes: minutes.values,
    hours: hours.values,
    daysOfMonth: daysOfMonth.values,
    months: months.values,
    daysOfWeek: daysOfWeek.values,
    anyDayOfMonth: daysOfMonth.any,
    anyDayOfWeek: daysOfWeek.any,
  };
}

function parseDescriptor(text: string): CronSchedule {
  const fields = descriptors[text];
  if (fields !== undefined) return parseUnzoned(fields);
  if (!text.startsWith('@every ')) throw new CronError(`unrecognized descriptor: ${text}`);
  try {
    // Seconds are the finest step, and there is no standing still.
    return { kind: 'every', ms: Math.max(1000, Math.floor(durationMs(text.slice('@every '.length)) / 1000) * 1000) };
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw new CronError(`failed to parse duration ${text}: ${error.message}`);
  }
}

interface CronField {
  readonly values: ReadonlySet<number>;
  readonly any: boolean;
}

function parseField(text: string, bounds: Bounds): CronField {
  const values = new Set<number>();
  let any = false;
  for (const part of text.split(',').filter((range) => range !== '')) {
    const range = parseRange(part, bounds);
    any ||= range.any;
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
  }
  return { values, any };
}

interface CronRange {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly any: boolean;
}

function parseRange(text: string, bounds: Bounds): CronRange {
  const parts = text.split('/');
  const limits = (parts[0] ?? '').split('-');
  let start = bounds.min;
  let end = bounds.max;
  let any = limits[0] === '*' || limits[0] === '?';
  if (!any) {
    start = parseNumberOrName(limits[0] ?? '', bounds);
    if (limits.length > 2) throw new CronError(`too many hyphens: ${text}`);
    end = limits.length === 1 ? start : parseNumberOrName(limits[1] ?? '', bounds);
  }
  if (parts.length > 2) throw new CronError(`too many slashes: ${text}`);
  const step = parts.length === 2 ? parseNumber(parts[1] ?? '') : 1;
  if (parts.length === 2 && limits.length === 1) end = bounds.max;
  if (step > 1) any = false;
  assertRange({ start, end, step, any }, bounds, text);
  return { start, end, step, any };
}

function assertRange({ start, end, step }: CronRange, { min, max }: Bounds, text: string): void {
  if (start < min) throw new CronError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) throw new CronError(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) throw new CronError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new CronError(`step of range should be a positive number: ${text}`);
}

function parseNumberOrName(text: string, bounds: Bounds): number {
  const index = text === '' ? -1 : (bounds.names?.indexOf(text.toLowerCase()) ?? -1);
  return index >= 0 ? index : parseNumber(text);
}

function parseNumber(text: string): number {
  if (!/^[+-]?[0-9]+$/.test(text)) {
    throw new CronError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
  const number = Number(text);
  if (number < 0) throw new CronError(`negative number (${number}) not allowed: ${text}`);
  return number;
}
