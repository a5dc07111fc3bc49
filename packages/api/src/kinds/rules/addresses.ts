// IP addresses and CIDRs in fields: the strict rules of 1.36 for fields that once took sloppier ones, address classes that
// make no sense as endpoints, and the warnings about spelling. Follows `k8s.io/apimachinery/pkg/util/validation/ip.go`.
// Not here: allocation of Service addresses.

import { type FieldError, type FieldPath, invalid, quote } from '@homeostat/machinery';

/** 16 bytes; IPv4 addresses are in their ::ffff: form. */
export type IpBytes = Uint8Array;

export function isIpv4(ip: IpBytes): boolean {
  return ip.subarray(0, 10).every((byte) => byte === 0) && ip[10] === 0xff && ip[11] === 0xff;
}

/** Reads an address as Go 1.16 and older did: leading zeros in IPv4 are decimal. */
export function parseIpSloppy(text: string): IpBytes | undefined {
  if (!text.includes(':')) {
    const four = parseIpv4(text, true);
    return four === undefined ? undefined : mapIpv4(four);
  }
  return parseIpv6(text, true);
}

export function formatIp(ip: IpBytes): string {
  if (isIpv4(ip)) return ip.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((ip[index * 2] ?? 0) << 8) | (ip[index * 2 + 1] ?? 0));
  const { start, length } = longestZeroRun(groups);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

export interface Cidr {
  /** The address as written, with its host bits. */
  readonly ip: IpBytes;
  readonly prefixLength: number;
  /** Whether it was written as IPv4. */
  readonly v4: boolean;
}

export function parseCidrSloppy(text: string): Cidr | undefined {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return undefined;
  const address = text.slice(0, slash);
  const digits = text.slice(slash + 1);
  const ip = parseIpSloppy(address);
  if (ip === undefined || !/^[0-9]{1,6}$/.test(digits)) return undefined;
  const v4 = !address.includes(':');
  const prefixLength = Number(digits);
  return prefixLength <= (v4 ? 32 : 128) ? { ip, prefixLength, v4 } : undefined;
}

export function networkOf(cidr: Cidr): IpBytes {
  const bits = cidr.v4 ? cidr.prefixLength + 96 : cidr.prefixLength;
  return cidr.ip.map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & ((0xff << (8 - kept)) & 0xff);
  });
}

export function formatCidr(cidr: Cidr): string {
  return `${formatIp(networkOf(cidr))}/${cidr.prefixLength}`;
}

/** An address in a field that predates strict parsing; values already stored stay acceptable. */
export function validateIp(
  text: string,
  path: FieldPath,
  errors: FieldError[],
  oldTexts: readonly string[] = [],
): void {
  if (oldTexts.includes(text)) return;
  const ip = parseIpSloppy(text);
  if (ip === undefined) {
    errors.push(invalid(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'));
    return;
  }
  if (!isStrict(text)) errors.push(invalid(path, text, 'must not have leading 0s'));
  else if (isMapped(text, ip)) errors.push(invalid(path, text, 'must not be an IPv4-mapped IPv6 address'));
}

/** An address in a new field: strict, and in canonical form. */
export function validateCanonicalIp(text: string, path: FieldPath, errors: FieldError[]): void {
  const before = errors.length;
  validateIp(text, path, errors);
  const ip = parseIpSloppy(text);
  if (errors.length > before || ip === undefined) return;
  if (formatIp(ip) !== text) errors.push(invalid(path, text, `must be in canonical form (${quote(formatIp(ip))})`));
}

export function validateCidr(
  text: string,
  path: FieldPath,
  errors: FieldError[],
  oldTexts: readonly string[] = [],
): void {
  if (oldTexts.includes(text)) return;
  const cidr = parseCidrSloppy(text);
  if (cidr === undefined) {
    errors.push(invalid(path, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'));
    return;
  }
  const address = text.slice(0, text.lastIndexOf('/'));
  if (!isStrict(address) || !isPlainLength(text)) {
    errors.push(invalid(path, text, 'must not have leading 0s in IP or prefix length'));
  } else if (isMapped(address, cidr.ip)) errors.push(invalid(path, text, 'must not have an IPv4-mapped IPv6 address'));
  else if (!sameBytes(cidr.ip, networkOf(cidr))) {
    errors.push(invalid(path, text, 'must not have bits set beyond the prefix length'));
  }
}

export function validateCanonicalCidr(text: string, path: FieldPath, errors: FieldError[]): void {
  const before = errors.length;
  validateCidr(text, path, errors);
  const cidr = parseCidrSloppy(text);
  if (errors.length > before || cidr === undefined) return;
  if (formatCidr(cidr) !== text)
    errors.push(invalid(path, text, `must be in canonical form (${quote(formatCidr(cidr))})`));
}

/** Addresses that no other machine could reach. */
export function validateEndpointIp(text: string, path: FieldPath, errors: FieldError[]): void {
  const ip = parseIpSloppy(text);
  if (ip === undefined) {
    errors.push(invalid(path, text, 'must be a valid IP address'));
    return;
  }
  if (isUnspecified(ip)) errors.push(invalid(path, text, `may not be unspecified (${text})`));
  if (isLoopback(ip)) errors.push(invalid(path, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'));
  if (isLinkLocalUnicast(ip)) {
    errors.push(invalid(path, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'));
  }
  if (isLinkLocalMulticast(ip)) {
    errors.push(invalid(path, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'));
  }
}

export function warningsForIp(path: FieldPath, text: string): readonly string[] {
  const ip = parseIpSloppy(text);
  if (ip === undefined) return [];
  if (!isStrict(text) || isMapped(text, ip)) {
    return [`${path.toString()}: non-standard IP address ${quote(text)} is invalid: use ${quote(formatIp(ip))}`];
  }
  if (text.includes(':') && formatIp(ip) !== text) {
    return [
      `${path.toString()}: IPv6 address ${quote(text)} should be in RFC 5952 canonical format (${quote(formatIp(ip))})`,
    ];
  }
  return [];
}

export function warningsForCidr(path: FieldPath, text: string): readonly string[] {
  const cidr = parseCidrSloppy(text);
  if (cidr === undefined) return [];
  const warnings: string[] = [];
  if (!sameBytes(cidr.ip, networkOf(cidr))) {
    const single = `${formatIp(cidr.ip)}/${cidr.v4 ? 32 : 128}`;
    const choice = `${quote(formatCidr(cidr))} or ${quote(single)}?`;
    warnings.push(`${path.toString()}: CIDR value ${quote(text)} is ambiguous in this context (should be ${choice})`);
  }
  const address = text.slice(0, text.lastIndexOf('/'));
  if (!isStrict(address) || !isPlainLength(text) || isMapped(address, cidr.ip)) {
    warnings.push(
      `${path.toString()}: non-standard CIDR value ${quote(text)} is invalid: use ${quote(formatCidr(cidr))}`,
    );
  } else if (warnings.length === 0 && !cidr.v4 && formatCidr(cidr) !== text) {
    const better = quote(formatCidr(cidr));
    warnings.push(
      `${path.toString()}: IPv6 CIDR value ${quote(text)} should be in RFC 5952 canonical format (${better})`,
    );
  }
  return warnings;
}

/** Whether the texts are one IPv4 and one IPv6 address (or more, as long as both occur). */
export function isDualStackIps(texts: readonly string[]): boolean {
  return isDualStack(texts.map((text) => parseIpSloppy(text)).map((ip) => (ip === undefined ? undefined : isIpv4(ip))));
}

export function isDualStackCidrs(texts: readonly string[]): boolean {
  return isDualStack(texts.map((text) => parseCidrSloppy(text)?.v4));
}

function isDualStack(families: readonly (boolean | undefined)[]): boolean {
  return families.includes(true) && families.includes(false);
}

export function isIpv6Text(text: string): boolean {
  const ip = parseIpSloppy(text);
  return ip !== undefined && !isIpv4(ip);
}

export function isLoopback(ip: IpBytes): boolean {
  return isIpv4(ip) ? ip[12] === 127 : ip.subarray(0, 15).every((byte) => byte === 0) && ip[15] === 1;
}

function isUnspecified(ip: IpBytes): boolean {
  return (isIpv4(ip) ? ip.subarray(12) : ip).every((byte) => byte === 0);
}

function isLinkLocalUnicast(ip: IpBytes): boolean {
  if (isIpv4(ip)) return ip[12] === 169 && ip[13] === 254;
  return ip[0] === 0xfe && ((ip[1] ?? 0) & 0xc0) === 0x80;
}

function isLinkLocalMulticast(ip: IpBytes): boolean {
  if (isIpv4(ip)) return ip[12] === 224 && ip[13] === 0 && ip[14] === 0;
  return ip[0] === 0xff && ((ip[1] ?? 0) & 0x0f) === 0x02;
}

function sameBytes(a: IpBytes, b: IpBytes): boolean {
  return a.every((byte, index) => byte === b[index]);
}

/** Parses under today's rules too. */
function isStrict(text: string): boolean {
  return text.includes(':') ? parseIpv6(text, false) !== undefined : parseIpv4(text, false) !== undefined;
}

function isMapped(text: string, ip: IpBytes): boolean {
  return text.includes(':') && isIpv4(ip);
}

function isPlainLength(cidr: string): boolean {
  return /\/(0|[1-9][0-9]*)$/.test(cidr);
}

function mapIpv4(four: readonly number[]): IpBytes {
  const ip = new Uint8Array(16);
  ip[10] = 0xff;
  ip[11] = 0xff;
  ip.set(four, 12);
  return ip;
}

function parseIpv4(text: string, sloppy: boolean): readonly number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = parts.map((part) => {
    if (!/^[0-9]{1,10}$/.test(part) || (!sloppy && part.length > 1 && part.startsWith('0'))) return -1;
    return Number(part);
  });
  return bytes.every((byte) => byte >= 0 && byte <= 255) ? bytes : undefined;
}

function parseIpv6(text: string, sloppy: boolean): IpBytes | undefined {
  const halves = text.split('::');
  if (halves.length > 2 || !/^[0-9a-fA-F:.]+$/.test(text)) return undefined;
  const left = parseGroups(halves[0] ?? '', sloppy, halves.length === 1);
  const right = halves.length === 2 ? parseGroups(halves[1] ?? '', sloppy, true) : [];
  if (left === undefined || right === undefined) return undefined;
  const missing = 16 - left.length - right.length;
  if (halves.length === 1 ? missing !== 0 : missing < 2) return undefined;
  return Uint8Array.from([...left, ...new Uint8Array(missing), ...right]);
}

/** Colon-separated groups as bytes; the last may be a dotted IPv4 address when `last`. */
function parseGroups(text: string, sloppy: boolean, last: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (group.includes('.')) {
      const four = last && index === groups.length - 1 ? parseIpv4(group, sloppy) : undefined;
      if (four === undefined) return undefined;
      bytes.push(...four);
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes;
}

function longestZeroRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (let index = 0; index <= groups.length; index += 1) {
    if (groups[index] === 0) continue;
    if (index - start > best.length) best = { start, length: index - start };
    start = index + 1;
  }
  return best;
}
