// The strings extension (version 2): positions and lengths count code points.

import { goQuote } from '../../values/go-strings.ts';
import { perCharacter } from '../call-cost.ts';
import { type CallContext, type Overload, overloads, overloadsOf } from '../functions.ts';
import { CelError, CelList, type CelValue } from '../values.ts';
import { formatText } from './format.ts';

const space = /^[\s\u0085\u180e]+|[\s\u0085\u180e]+$/gu;

export const strings: readonly Overload[] = [
  ...overloads({
    'string.charAt(int): string': ([text, index]) => charAt(Array.from(text as string), Number(index)),
    'string.indexOf(string): int': ([text, part]) => indexOf(text as string, part as string, 0),
    'string.indexOf(string, int): int': ([text, part, from]) => indexOf(text as string, part as string, Number(from)),
    'string.lastIndexOf(string): int': ([text, part]) => lastIndexOf(text as string, part as string, undefined),
    'string.lastIndexOf(string, int): int': ([text, part, from]) =>
      lastIndexOf(text as string, part as string, Number(from)),
    'string.lowerAscii(): string': ([text]) => (text as string).replaceAll(/[A-Z]+/g, (upper) => upper.toLowerCase()),
    'string.upperAscii(): string': ([text]) => (text as string).replaceAll(/[a-z]+/g, (lower) => lower.toUpperCase()),
    'string.replace(string, string): string': ([text, old, by], context) =>
      replaceSome(text as string, old as string, by as string, { limit: -1, context }),
    'string.replace(string, string, int): string': ([text, old, by, limit], context) =>
      replaceSome(text as string, old as string, by as string, { limit: Number(limit), context }),
    'string.split(string): list(string)': ([text, by]) => CelList.of(splitText(text as string, by as string, -1)),
    'string.split(string, int): list(string)': ([text, by, limit]) =>
      CelList.of(splitText(text as string, by as string, Number(limit))),
    'string.substring(int): string': ([text, from]) => substring(Array.from(text as string), Number(from), undefined),
    'string.substring(int, int): string': ([text, from, to]) =>
      substring(Array.from(text as string), Number(from), Number(to)),
    'string.trim(): string': ([text]) => (text as string).replaceAll(space, ''),
    'string.format(list(dyn)): string': ([text, args], context) =>
      formatText(text as string, [...(args as CelList)], context),
    'list(string).join(): string': ([list], context) => joinTexts(list as CelList, '', context),
    'list(string).join(string): string': ([list, by], context) => joinTexts(list as CelList, by as string, context),
  }),
  ...overloadsOf('strings.quote', { '(string): string': ([text]) => goQuote(text as string) }),
];

function outOfRange(index: number): CelError {
  return new CelError(`index out of range: ${index}`);
}

function charAt(chars: readonly string[], index: number): string {
  if (index < 0 || index > chars.length) throw outOfRange(index);
  return chars[index] ?? '';
}

/** The code point index of a UTF-16 index. */
function pointIndex(text: string, unit: number): bigint {
  return unit < 0 ? -1n : BigInt(Array.from(text.slice(0, unit)).length);
}

function indexOf(text: string, part: string, from: number): bigint {
  const chars = Array.from(text);
  if (part === '') return BigInt(from);
  if (from < 0) throw outOfRange(from);
  if (from >= chars.length) return -1n;
  return pointIndex(text, text.indexOf(part, chars.slice(0, from).join('').length));
}

function lastIndexOf(text: string, part: string, from: number | undefined): bigint {
  const chars = Array.from(text);
  if (from !== undefined && from < 0) throw outOfRange(from);
  if (part === '') return BigInt(from ?? chars.length);
  if (from !== undefined && from >= chars.length) return -1n;
  const unit = from === undefined ? undefined : chars.slice(0, from).join('').length;
  return pointIndex(text, text.lastIndexOf(part, unit));
}

interface ReplaceOptions {
  /** Negative: all. */
  readonly limit: number;
  readonly context: CallContext;
}

/** Pays for the result before it is made: it may be far longer than all that went in. */
function replaceSome(text: string, old: string, by: string, { limit, context }: ReplaceOptions): string {
  const found = text.split(old).length + (old === '' ? 1 : -1);
  const count = limit < 0 ? found : Math.min(limit, found);
  context.charge(Math.ceil((text.length + count * by.length) * perCharacter));
  let left = count;
  return text.replaceAll(old, (part) => (left-- > 0 ? by : part));
}

function splitText(text: string, by: string, limit: number): string[] {
  if (limit === 0) return [];
  const parts = by === '' ? Array.from(text) : text.split(by);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(by)];
}

function substring(chars: readonly string[], from: number, to: number | undefined): string {
  if (from < 0 || from > chars.length) throw outOfRange(from);
  if (to === undefined) return chars.slice(from).join('');
  if (to < 0 || to > chars.length) throw outOfRange(to);
  if (from > to) throw new CelError(`invalid substring range. start: ${from}, end: ${to}`);
  return chars.slice(from, to).join('');
}

function joinTexts(list: CelList, by: string, context: CallContext): string {
  const texts = Array.from(list, (item: CelValue) => {
    if (typeof item !== 'string') throw new CelError('no such overload');
    context.charge((item.length + by.length) * perCharacter);
    return item;
  });
  return texts.join(by);
}
