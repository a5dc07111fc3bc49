// Formats of network names and addresses, as Go's net, net/url and net/mail read them.

import { utf8Length } from '../values/rule-texts.ts';
import { lazyPattern } from './pattern.ts';

const labelChars = 'a-zA-Z0-9\\p{S}\\p{L}';
const hostname = lazyPattern(
  `^([${labelChars}]((-?[${labelChars}]{0,62})?)|([${labelChars}](([${labelChars}-]{0,61}[${labelChars}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$`,
);
const hostnameBytesMax = 255;
const hostnameLabelBytesMax = 63;

/** RFC 1034 with digits first and symbols allowed; of several labels the last has two letters or more, and no digits. */
export function isHostname(text: string): boolean {
  return (
    utf8Length(text) <= hostnameBytesMax &&
    hostname.test(text) &&
    text.split('.').every((label) => utf8Length(label) <= hostnameLabelBytesMax)
  );
}

/** Dotted decimal. Leading zeros are allowed. */
export function isIpv4(text: string): boolean {
  return text.includes('.') && isIp(text);
}

export function isIpv6(text: string): boolean {
  return text.includes(':') && isIp(text, 'strict');
}

/** An address and the length of its prefix: `10.0.0.0/8`. Bits beyond the prefix may be set. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  if (!isIp(address) || !/^\d{1,8}$/.test(length)) return false;
  return Number(length) <= (address.includes(':') ? 128 : 32);
}

/** 6, 8 or 20 bytes, as `00:00:5e:…`, `00-00-5e-…` or `0000.5e00.…`. */
export function isHardwareAddress(text: string): boolean {
  const bytes = /^[\da-f]{2}(?:([:-])[\da-f]{2})(?:\1[\da-f]{2})*$/i.test(text)
    ? (text.length + 1) / 3
    : /^[\da-f]{4}(?:\.[\da-f]{4})+$/i.test(text)
      ? ((text.length + 1) / 5) * 2
      : 0;
  return bytes === 6 || bytes === 8 || bytes === 20;
}

/** An absolute URI or an absolute path: what could stand in a request line. */
export function isRequestUri(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are what is refused
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text)) return false;
  if (text === '*') return true;
  const [, scheme = '', rest = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(text) ?? [];
  if (scheme === '') return text.startsWith('/') && isUrlPath(text);
  // What follows a scheme without a slash is opaque: `mailto:x`.
  if (!rest.startsWith('/')) return true;
  if (!rest.startsWith('//')) return isUrlPath(rest);
  const end = rest.slice(2).search(/[/?]/);
  const authority = end < 0 ? rest.slice(2) : rest.slice(2, 2 + end);
  return isAuthority(authority, scheme.toLowerCase()) && (end < 0 || isUrlPath(rest.slice(2 + end)));
}

function isUrlPath(text: string): boolean {
  const query = text.indexOf('?');
  return hasValidEscapes(query < 0 ? text : text.slice(0, query));
}

function hasValidEscapes(text: string): boolean {
  return !/%(?![\da-fA-F]{2})/.test(text);
}

function isAuthority(text: string, scheme: string): boolean {
  const at = text.lastIndexOf('@');
  const user = text.slice(0, Math.max(at, 0));
  if (!/^[\w\-.:~!$&'()*+,;=%@]*$/.test(user) || !hasValidEscapes(user)) return false;
  const host = text.slice(at + 1);
  if (host.lastIndexOf('[') > 0) return false;
  if (host.startsWith('[')) return isIpLiteral(host);
  // Several colons are one too many for these two.
  const colon = scheme === 'http' || scheme === 'https' ? host.indexOf(':') : host.lastIndexOf(':');
  return (colon < 0 || isPort(host.slice(colon))) && isHost(host);
}

/** `[::1]:80`: an IPv6 address, perhaps with a zone, and perhaps a port. */
function isIpLiteral(host: string): boolean {
  const end = host.lastIndexOf(']');
  if (end < 0 || !isPort(host.slice(end + 1))) return false;
  const [address = '', ...zone] = host.slice(1, end).split('%25');
  if (!isIpv6(address)) return false;
  const text = zone.join('%25');
  return zone.length === 0 || (text !== '' && isHost(text.replaceAll(/%(?:2[0-9a-f]|25)/gi, '')));
}

function isPort(text: string): boolean {
  return /^(?::\d*)?$/.test(text);
}

/** Characters of a host; only what is beyond ASCII may be escaped. */
function isHost(text: string): boolean {
  return /^(?:[\w.~!$&'()*+,;=:[\]<>"-]|%[89a-f][\da-f]|%25|[^\0-\x7f])*$/i.test(text);
}

/** One mailbox: `a@b.c` or `A Name <a@b.c>`. */
export function isEmail(text: string): boolean {
  const trimmed = text.trim();
  const angle = /^(?:"(?:[^"\\]|\\.)*"|[^"<>@,;:\\[\]()])*<([^<>]*)>$/.exec(trimmed);
  if (angle !== null && !isReadablePhrase(trimmed.slice(0, trimmed.lastIndexOf('<')))) return false;
  const address = angle === null ? trimmed : (angle[1] ?? '');
  const at = address.lastIndexOf('@');
  if (at <= 0) return false;
  const local = address.slice(0, at);
  return (
    (isDotAtom(local) || /^"(?:[^"\\\r\n]|\\[^\r\n])*"$/.test(local)) && isMailDomain(address.slice(at + 1).trim())
  );
}

/** Encoded words (`=?utf-8?q?x?=`) must be of a character set that can be read. */
function isReadablePhrase(text: string): boolean {
  for (const [, charset = '', encoding = ''] of text.matchAll(/=\?([^?\s]*)\?([^?\s]*)\?[^?\s]*\?=/g)) {
    if (/^[qb]$/i.test(encoding) && !/^(?:utf-8|us-ascii|iso-8859-1)$/i.test(charset)) return false;
  }
  return true;
}

function isMailDomain(text: string): boolean {
  if (isDotAtom(text)) return true;
  return text.startsWith('[') && text.endsWith(']') && isIp(text.slice(1, -1), 'strict');
}

function isDotAtom(text: string): boolean {
  return text.split('.').every((atom) => /^[a-zA-Z0-9!#$%&'*+/=?^_`{|}~\-\u0080-\u{10ffff}]+$/u.test(atom));
}

/** Old readers take leading zeros in dotted decimal for nothing, strict ones for a mistake. */
function isIp(text: string, reading: 'old' | 'strict' = 'old'): boolean {
  if (!text.includes(':')) return isDottedQuad(text, reading);
  const halves = text.split('::');
  if (halves.length > 2) return false;
  let groups = 0;
  for (const [index, half] of halves.entries()) {
    if (half === '') continue;
    const parts = half.split(':');
    for (const [place, part] of parts.entries()) {
      const isLast = index === halves.length - 1 && place === parts.length - 1;
      if (isLast && part.includes('.')) {
        if (!isDottedQuad(part, reading)) return false;
        groups += 2;
      } else if (/^[\da-fA-F]{1,4}$/.test(part)) groups++;
      else return false;
    }
  }
  return halves.length === 2 ? groups < 8 : groups === 8;
}

function isDottedQuad(text: string, reading: 'old' | 'strict'): boolean {
  const part = reading === 'strict' ? /^(?:0|[1-9]\d{0,2})$/ : /^\d{1,9}$/;
  const parts = text.split('.');
  return parts.length === 4 && parts.every((digits) => part.test(digits) && Number(digits) <= 255);
}
