// Kubernetes' IP and CIDR libraries: `cidr('10.0.0.0/8').containsIP('10.1.2.3')`.

import { type Overload, overloads, overloadsOf } from '../functions.ts';
import { CelError, type CelOpaque, type CelValue } from '../values.ts';
import { bitsOf, formatIp, type IpAddress, maskIp, parseIp } from './ip-address.ts';

class IpValue implements CelOpaque {
  readonly opaqueName = 'net.IP';
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    this.address = address;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof IpValue && sameIp(this.address, other.address);
  }
}

class CidrValue implements CelOpaque {
  readonly opaqueName = 'net.CIDR';
  readonly address: IpAddress;
  readonly prefix: number;

  constructor(address: IpAddress, prefix: number) {
    this.address = address;
    this.prefix = prefix;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CidrValue && this.prefix === other.prefix && sameIp(this.address, other.address);
  }
}

const ipOf = (value: CelValue | undefined): IpAddress => (value as IpValue).address;
const cidrOf = (value: CelValue | undefined): CidrValue => value as CidrValue;
const hasPrefix = ({ family, value }: IpAddress, prefix: bigint, bits: number): boolean =>
  value >> BigInt(bitsOf(family) - bits) === prefix;

export const ips: readonly Overload[] = [
  ...overloads({
    'ip(string): IP': ([text]) => new IpValue(toIp(text as string)),
    'isIP(string): bool': ([text]) => typeof parseIp(text as string) !== 'string',
    'string(IP): string': ([ip]) => formatIp(ipOf(ip)),
    'IP.family(): int': ([ip]) => BigInt(ipOf(ip).family),
    'IP.isUnspecified(): bool': ([ip]) => ipOf(ip).value === 0n,
    'IP.isLoopback(): bool': ([ip]) => isLoopback(ipOf(ip)),
    'IP.isLinkLocalMulticast(): bool': ([ip]) => isLinkLocalMulticast(ipOf(ip)),
    'IP.isLinkLocalUnicast(): bool': ([ip]) => isLinkLocalUnicast(ipOf(ip)),
    'IP.isGlobalUnicast(): bool': ([ip]) => isGlobalUnicast(ipOf(ip)),
    'cidr(string): CIDR': ([text]) => toCidr(text as string),
    'isCIDR(string): bool': ([text]) => typeof parseCidr(text as string) !== 'string',
    'string(CIDR): string': ([cidr]) => `${formatIp(cidrOf(cidr).address)}/${cidrOf(cidr).prefix}`,
    'CIDR.containsIP(string): bool': ([cidr, text]) => contains(cidrOf(cidr), toIp(text as string)),
    'CIDR.containsIP(IP): bool': ([cidr, ip]) => contains(cidrOf(cidr), ipOf(ip)),
    'CIDR.containsCIDR(string): bool': ([cidr, text]) => containsCidr(cidrOf(cidr), toCidr(text as string)),
    'CIDR.containsCIDR(CIDR): bool': ([cidr, other]) => containsCidr(cidrOf(cidr), cidrOf(other)),
    'CIDR.ip(): IP': ([cidr]) => new IpValue(cidrOf(cidr).address),
    'CIDR.masked(): CIDR': ([cidr]) =>
      new CidrValue(maskIp(cidrOf(cidr).address, cidrOf(cidr).prefix), cidrOf(cidr).prefix),
    'CIDR.prefixLength(): int': ([cidr]) => BigInt(cidrOf(cidr).prefix),
  }),
  ...overloadsOf('ip.isCanonical', { '(string): bool': ([text]) => formatIp(toIp(text as string)) === text }),
];

function sameIp(a: IpAddress, b: IpAddress): boolean {
  return a.family === b.family && a.value === b.value;
}

function toIp(text: string): IpAddress {
  const parsed = parseIp(text);
  if (typeof parsed === 'string')
    throw new CelError(`IP Address ${JSON.stringify(text)} parse error during conversion from string: ${parsed}`);
  return parsed;
}

function toCidr(text: string): CidrValue {
  const parsed = parseCidr(text);
  if (typeof parsed === 'string')
    throw new CelError(`network address parse error during conversion from string: ${parsed}`);
  return parsed;
}

function parseCidr(text: string): CidrValue | string {
  const wrong = (why: string): string => `netip.ParsePrefix(${JSON.stringify(text)}): ${why}`;
  const slash = text.lastIndexOf('/');
  if (slash < 0) return wrong("no '/'");
  const address = parseIp(text.slice(0, slash));
  if (typeof address === 'string') return address.startsWith('ParseAddr') ? wrong(address) : address;
  const bits = text.slice(slash + 1);
  if (!/^(?:0|[1-9][0-9]*)$/.test(bits)) return wrong(`bad bits after slash: ${JSON.stringify(bits)}`);
  if (Number(bits) > bitsOf(address.family)) return wrong('prefix length out of range');
  return new CidrValue(address, Number(bits));
}

function contains({ address, prefix }: CidrValue, ip: IpAddress): boolean {
  return ip.family === address.family && maskIp(ip, prefix).value === maskIp(address, prefix).value;
}

function containsCidr(outer: CidrValue, inner: CidrValue): boolean {
  return inner.prefix >= outer.prefix && contains(outer, inner.address);
}

function isLoopback(ip: IpAddress): boolean {
  return ip.family === 4 ? hasPrefix(ip, 127n, 8) : ip.value === 1n;
}

function isMulticast(ip: IpAddress): boolean {
  return ip.family === 4 ? hasPrefix(ip, 0xen, 4) : hasPrefix(ip, 0xffn, 8);
}

function isLinkLocalMulticast(ip: IpAddress): boolean {
  return ip.family === 4 ? hasPrefix(ip, 0xe00000n, 24) : hasPrefix(ip, 0xffn, 8) && ((ip.value >> 112n) & 0xfn) === 2n;
}

function isLinkLocalUnicast(ip: IpAddress): boolean {
  return ip.family === 4 ? hasPrefix(ip, 0xa9fen, 16) : hasPrefix(ip, 0x3fan, 10);
}

function isGlobalUnicast(ip: IpAddress): boolean {
  const broadcast = ip.family === 4 && ip.value === 0xffffffffn;
  return !broadcast && ip.value !== 0n && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip);
}
