// IP addresses as numbers, parsed as strictly as Go's netip: no leading zeros in IPv4, no zones, no IPv4-mapped IPv6.

export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

/** The address, or what is wrong with the text. */
export function parseIp(text: string): IpAddress | string {
  if (text.includes('%')) return `IP address ${text} with zone value is not allowed`;
  const value = text.includes(':') ? parseV6(text) : parseV4(text);
  if (value === undefined) return `ParseAddr("${text}"): unable to parse IP`;
  if (!text.includes(':')) return { family: 4, value };
  if (value >> 32n === 0xffffn) return `IPv4-mapped IPv6 address ${text} is not allowed`;
  return { family: 6, value };
}

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1)?.at(-1);
  if (last?.includes('.') === true) {
    const v4 = parseV4(last);
    if (v4 === undefined) return undefined;
    groups.at(-1)?.splice(-1, 1, (v4 >> 16n).toString(16), (v4 & 0xffffn).toString(16));
  }
  const count = groups.flat().length;
  if (halves.length === 1 ? count !== 8 : count > 7) return undefined;
  const [head = [], tail = []] = groups;
  const all = halves.length === 1 ? head : [...head, ...Array<string>(8 - count).fill('0'), ...tail];
  if (!all.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  return all.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
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
