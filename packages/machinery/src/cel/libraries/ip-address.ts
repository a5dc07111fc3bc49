// IP addresses as numbers, parsed as Go's netip does, with its errors.

import { goQuote } from '../../values/go-strings.ts';

export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** What is wrong with a text; the message is Go's: `ParseAddr("1.2.3"): IPv4 address too short`. */
export class IpError extends Error {
  constructor(text: string, why: string, at = '') {
    super(`ParseAddr(${goQuote(text)}): ${why}${at === '' ? '' : ` (at ${goQuote(at)})`}`);
  }
}

export interface ParsedIp extends IpAddress {
  readonly zone: string;
}

/** Reads as much as Go does: zones and IPv4-mapped addresses too, which the callers refuse. @throws IpError */
export function parseIp(text: string): ParsedIp {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === '.') return { family: 4, value: parseV4(text, text), zone: '' };
  if (mark === ':') return parseV6(text);
  throw new IpError(text, mark === '%' ? 'missing IPv6 address' : 'unable to parse IP');
}

/** Whether an IPv6 address stands for one of IPv4. */
export function isMapped({ family, value }: IpAddress): boolean {
  return family === 6 && value >> 32n === 0xffffn;
}

/** @param part - of the whole text, which errors show */
function parseV4(part: string, text: string): bigint {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (let i = 0; i < part.length; i++) {
    const char = part[i] as string;
    if (/[0-9]/.test(char)) {
      if (digits === 1 && value === 0) throw new IpError(text, 'IPv4 field has octet with leading zero');
      value = value * 10 + Number(char);
      digits++;
      if (value > 255) throw new IpError(text, 'IPv4 field has value >255');
    } else if (char === '.') {
      if (i === 0 || i === part.length - 1 || part[i - 1] === '.') {
        throw new IpError(text, 'IPv4 field must have at least one digit', part.slice(i));
      }
      if (fields.length === 3) throw new IpError(text, 'IPv4 address too long');
      fields.push(value);
      value = 0;
      digits = 0;
    } else throw new IpError(text, 'unexpected character', part.slice(i));
  }
  if (fields.length < 3) throw new IpError(text, 'IPv4 address too short');
  return [...fields, value].reduce((sum, field) => sum * 256n + BigInt(field), 0n);
}

const groupsMax = 8;

function parseV6(text: string): ParsedIp {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') throw new IpError(text, 'zone must be a non-empty string');
  let rest = percent < 0 ? text : text.slice(0, percent);
  const groups: bigint[] = [];
  let gap = -1;
  if (rest.startsWith('::')) {
    gap = 0;
    rest = rest.slice(2);
  }
  while (rest !== '' && groups.length < groupsMax) {
    const hex = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (hex.length > 4) throw new IpError(text, 'each group must have 4 or less digits', rest);
    if (hex === '') throw new IpError(text, 'each colon-separated field must have at least one digit', rest);
    if (rest[hex.length] === '.') {
      if (gap < 0 && groups.length !== 6) {
        throw new IpError(text, 'embedded IPv4 address must replace the final 2 fields of the address', rest);
      }
      if (groups.length > 6) {
        throw new IpError(text, 'too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      }
      const embedded = parseV4(rest, text);
      groups.push(embedded >> 16n, embedded & 0xffffn);
      rest = '';
      break;
    }
    groups.push(BigInt(`0x${hex}`));
    rest = rest.slice(hex.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) throw new IpError(text, 'unexpected character, want colon', rest);
    if (rest.length === 1) throw new IpError(text, 'colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (gap >= 0) throw new IpError(text, 'multiple :: in address', rest);
    gap = groups.length;
    rest = rest.slice(1);
  }
  if (rest !== '') throw new IpError(text, 'trailing garbage after address', rest);
  const missing = groupsMax - groups.length;
  if (missing > 0 && gap < 0) throw new IpError(text, 'address string too short');
  if (missing === 0 && gap >= 0) throw new IpError(text, 'the :: must expand to at least one field of zeros');
  if (missing > 0) groups.splice(gap, 0, ...Array<bigint>(missing).fill(0n));
  return { family: 6, value: groups.reduce((sum, group) => (sum << 16n) + group, 0n), zone };
}

/** The canonical text: RFC 5952 for IPv6. */
export function formatIp({ family, value }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - index * 16)) & 0xffffn).toString(16));
  const runs = Array.from(groups.join(':').matchAll(/(?:^|:)0(?::0)+(?=:|$)/g), (match) => match[0]);
  const longest = runs.toSorted((a, b) => b.replaceAll(':', '').length - a.replaceAll(':', '').length)[0];
  if (longest === undefined) return groups.join(':');
  const text = groups.join(':');
  const at = text.indexOf(longest);
  return `${text.slice(0, at)}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}

/** Bits of an address of the family. */
export function bitsOf(family: 4 | 6): number {
  return family === 4 ? 32 : 128;
}

/** The address with all but the first `prefix` bits cleared. */
export function maskIp({ family, value }: IpAddress, prefix: number): IpAddress {
  const host = BigInt(bitsOf(family) - prefix);
  return { family, value: (value >> host) << host };
}
