// Times of the wire: `metav1.Time` (RFC 3339, seconds, UTC) and `metav1.MicroTime` (six fraction digits).
// Instants are milliseconds since 1970, as `env.clock` gives them. Parsing follows Go's time.Parse with its messages.

/** A text that is no time; the message is Go's. */
export class TimeError extends Error {
  override readonly name = 'TimeError';
}

/** `2026-01-02T03:04:05Z` */
export function formatTime(epochMs: number): string {
  return `${new Date(Math.floor(epochMs / 1000) * 1000).toISOString().slice(0, -5)}Z`;
}

/** `2026-01-02T03:04:05.678000Z` */
export function formatMicroTime(epochMs: number): string {
  const seconds = Math.floor(epochMs / 1000);
  const micros = Math.floor((epochMs - seconds * 1000) * 1000);
  return `${formatTime(epochMs).slice(0, -1)}.${String(micros).padStart(6, '0')}Z`;
}

/** Milliseconds of an RFC 3339 time with any zone and fraction. @throws TimeError */
export function parseTime(text: string): number {
  const { seconds, nanos } = parseWithLayout(text, rfc3339);
  return seconds * 1000 + Math.floor(nanos / 1e6);
}

/** Nanoseconds since 1970 of an RFC 3339 time with any zone and fraction. @throws TimeError */
export function parseTimeNanos(text: string): bigint {
  const { seconds, nanos } = parseWithLayout(text, rfc3339);
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
}

/** Milliseconds of a MicroTime, which must have exactly six fraction digits. @throws TimeError */
export function parseMicroTime(text: string): number {
  const { seconds, nanos } = parseWithLayout(text, rfc3339Micro);
  return seconds * 1000 + nanos / 1e6;
}

/** What a `metav1.Time` becomes in Go: UTC, seconds. @throws TimeError */
export function canonicalTime(text: string): string {
  return utcSeconds.test(text) && isRealDate(text) ? text : formatTime(parseWithLayout(text, rfc3339).seconds * 1000);
}

/** What a `metav1.MicroTime` becomes in Go: UTC, microseconds. @throws TimeError */
export function canonicalMicroTime(text: string): string {
  const { seconds, nanos } = parseWithLayout(text, rfc3339Micro);
  return `${formatTime(seconds * 1000).slice(0, -1)}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
}

const utcSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function isRealDate(text: string): boolean {
  const instant = Date.parse(text);
  return !Number.isNaN(instant) && new Date(instant).toISOString().slice(0, 19) === text.slice(0, 19);
}

type Element = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'micros' | 'zone';

interface Layout {
  readonly text: string;
  readonly parts: readonly (readonly [prefix: string, element: Element, shown: string])[];
}

const dateAndTime = [
  ['', 'year', '2006'],
  ['-', 'month', '01'],
  ['-', 'day', '02'],
  ['T', 'hour', '15'],
  [':', 'minute', '04'],
  [':', 'second', '05'],
] as const;
const rfc3339: Layout = { text: '2006-01-02T15:04:05Z07:00', parts: [...dateAndTime, ['', 'zone', 'Z07:00']] };
const rfc3339Micro: Layout = {
  text: '2006-01-02T15:04:05.000000Z07:00',
  parts: [...dateAndTime, ['', 'micros', '.000000'], ['', 'zone', 'Z07:00']],
};

interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

function parseWithLayout(text: string, layout: Layout): Instant {
  let rest = text;
  const cannot = (value: string, element: string): TimeError =>
    new TimeError(
      `parsing time ${timeQuote(text)} as ${timeQuote(layout.text)}: cannot parse ${timeQuote(value)} as ${timeQuote(element)}`,
    );
  const outOfRange = (what: string): TimeError =>
    new TimeError(`parsing time ${timeQuote(text)}: ${what} out of range`);
  const found: Record<Element, number> = {
    year: 0,
    month: 1,
    day: 1,
    hour: 0,
    minute: 0,
    second: 0,
    micros: 0,
    zone: 0,
  };
  let nanos = 0;

  for (const [prefix, element, shown] of layout.parts) {
    if (!rest.startsWith(prefix)) throw cannot(rest, prefix);
    rest = rest.slice(prefix.length);
    const taken = takeElement(rest, element);
    if (taken === undefined) throw cannot(rest, shown);
    const [value, length] = taken;
    if (isOutOfRange(element, value)) throw outOfRange(element);
    found[element] = value;
    rest = rest.slice(length);
    if (element === 'second' && layout === rfc3339) {
      // A fraction may follow the seconds though the layout has none.
      const fraction = /^[.,][0-9]+/.exec(rest)?.[0] ?? '';
      nanos = Number(fraction.slice(1, 10).padEnd(9, '0'));
      rest = rest.slice(fraction.length);
    }
    if (element === 'micros') nanos = value * 1000;
    if (element === 'zone') checkZone(text, rest, outOfRange, length, value);
  }
  if (rest !== '') throw new TimeError(`parsing time ${timeQuote(text)}: extra text: ${timeQuote(rest)}`);
  const date = new Date(0);
  date.setUTCFullYear(found.year, found.month - 1, found.day);
  if (date.getUTCDate() !== found.day) throw outOfRange('day');
  const seconds = date.getTime() / 1000 + found.hour * 3600 + found.minute * 60 + found.second - found.zone;
  return { seconds, nanos };
}

const elementPatterns: Readonly<Record<Exclude<Element, 'zone'>, RegExp>> = {
  year: /^[0-9]{4}/,
  month: /^[0-9]{2}/,
  day: /^[0-9]{2}/,
  hour: /^[0-9]{1,2}/,
  minute: /^[0-9]{2}/,
  second: /^[0-9]{2}/,
  micros: /^[.,][0-9]{6}/,
};

function takeElement(rest: string, element: Element): [value: number, length: number] | undefined {
  if (element === 'zone') {
    if (rest.startsWith('Z')) return [0, 1];
    const match = /^([+-])([0-9]{2}):([0-9]{2})/.exec(rest);
    if (match === null) return undefined;
    const offset = Number(match[2]) * 3600 + Number(match[3]) * 60;
    return [match[1] === '-' ? -offset : offset, 6];
  }
  const match = elementPatterns[element].exec(rest)?.[0];
  if (match === undefined) return undefined;
  return [Number(element === 'micros' ? match.slice(1) : match), match.length];
}

function isOutOfRange(element: Element, value: number): boolean {
  switch (element) {
    case 'month':
      return value < 1 || value > 12;
    case 'hour':
      return value > 23;
    case 'minute':
    case 'second':
      return value > 59;
    default:
      return false;
  }
}

// Offsets of 24 hours and 60 minutes exist in the wild and Go lets them through.
function checkZone(
  text: string,
  rest: string,
  outOfRange: (what: string) => TimeError,
  length: number,
  value: number,
): void {
  if (length !== 6) return;
  const zone = text.slice(text.length - rest.length - 6, text.length - rest.length);
  if (Number(zone.slice(1, 3)) > 24) throw outOfRange('time zone offset hour');
  if (Number(zone.slice(4, 6)) > 60 || Number.isNaN(value)) throw outOfRange('time zone offset minute');
}

// Go's time package quotes bytes, not characters, and knows no escapes but these.
function timeQuote(text: string): string {
  let out = '"';
  for (const byte of new TextEncoder().encode(text)) {
    const char = String.fromCharCode(byte);
    if (byte >= 0x80 || byte < 0x20) out += `\\x${byte.toString(16).padStart(2, '0')}`;
    else out += char === '"' || char === '\\' ? `\\${char}` : char;
  }
  return `${out}"`;
}
