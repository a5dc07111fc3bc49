// Kubernetes' IP and CIDR libraries: `cidr('10.0.0.0/8').containsIP('10.1.2.3')`.

import { goQuote } from '../../values/go-strings.ts';
import { type Overload, overloads, overloadsOf } from '../functions.ts';
import { CelError, type CelOpaque, type CelValue } from '../values.ts';
import { bitsOf, formatIp, type IpAddress, isMapped, maskIp, type ParsedIp, parseIp } from './ip-address.ts';

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
    'isIP(string): bool': ([text]) => succeeds(() => toIp(text as string)),
    'string(IP): string': ([ip]) => formatIp(ipOf(ip)),
    'IP.family(): int': ([ip]) => BigInt(ipOf(ip).family),
    'IP.isUnspecified(): bool': ([ip]) => ipOf(ip).value === 0n,
    'IP.isLoopback(): bool': ([ip]) => isLoopback(ipOf(ip)),
    'IP.isLinkLocalMulticast(): bool': ([ip]) => isLinkLocalMulticast(ipOf(ip)),
    'IP.isLinkLocalUnicast(): bool': ([ip]) => isLinkLocalUnicast(ipOf(ip)),
    'IP.isGlobalUnicast(): bool': ([ip]) => isGlobalUnicast(ipOf(ip)),
    'cidr(string): CIDR': ([text]) => toCidr(text as string),
    'isCIDR(string): bool': ([text]) => succeeds(() => toCidr(text as string)),
    'string(CIDR): string': ([cidr]) => `${formatIp(cidrOf(cidr).address)}/${cidrOf(cidr).prefix}`,
    'CIDR.containsIP(string): bool': ([cidr, text]) =>
      contains(
        cidrOf(cidr),
        asArgument(() => toIp(text as string)),
      ),
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
  const read = (): ParsedIp => {
    try {
      return parseIp(text);
    } catch (error) {
      throw new CelError(`IP Address ${goQuote(text)} parse error during conversion from string: ${messageOf(error)}`);
    }
  };
  const ip = read();
  if (ip.zone !== '') throw new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
  if (isMapped(ip)) throw new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return ip;
}

function toCidr(text: string): CidrValue {
  const failure = 'network address parse error during conversion from string: ';
  let parsed: CidrValue;
  try {
    parsed = parseCidr(text);
  } catch (error) {
    // Upstream says it twice.
    throw new CelError(`${failure}${failure}${messageOf(error)}`);
  }
  if (isMapped(parsed.address)) {
    throw new CelError(`${failure}IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  }
  return parsed;
}

/** @throws Error in netip's words */
function parseCidr(text: string): CidrValue {
  const wrong = (why: string): Error => new Error(`netip.ParsePrefix(${goQuote(text)}): ${why}`);
  const slash = text.lastIndexOf('/');
  if (slash < 0) throw wrong("no '/'");
  let address: ParsedIp;
  try {
    address = parseIp(text.slice(0, slash));
  } catch (error) {
    throw wrong(messageOf(error));
  }
  if (address.zone !== '') throw wrong('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(?:[0-9]|[1-9][0-9]{1,18})$/.test(bits)) throw wrong(`bad bits after slash: ${goQuote(bits)}`);
  if (Number(bits) > bitsOf(address.family)) throw wrong('prefix length out of range');
  return new CidrValue(address, Number(bits));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function succeeds(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

/** An argument that can't be read is, to upstream, one of a wrong type. */
function asArgument<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof CelError ? new CelError('no such overload') : error;
  }
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
