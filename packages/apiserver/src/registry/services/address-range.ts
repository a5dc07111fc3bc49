// Arithmetic of one CIDR that Service addresses are taken from: which addresses it holds, and in which order they are
// handed out (KEP-3070: the low band is for addresses that are asked for by name).

import { formatIp, isIpv4, networkOf, parseCidrSloppy, parseIpSloppy } from '@homeostat/api';
import type { Random } from '@homeostat/base';
import type { IpFamily } from './ip-families.ts';

export class AddressRange {
  readonly text: string;
  readonly family: IpFamily;
  readonly #base: bigint;
  /** Addresses in the range, the network and broadcast ones included. */
  readonly #size: bigint;
  /** Usable offsets: first and last, inclusive. */
  readonly #first: bigint;
  readonly #last: bigint;

  constructor(text: string) {
    const cidr = parseCidrSloppy(text);
    if (cidr === undefined) throw new Error(`Cannot use Service range ${text}: expected a CIDR such as 10.0.0.0/24`);
    this.text = text;
    this.family = cidr.v4 ? 'IPv4' : 'IPv6';
    this.#base = toBigInt(networkOf(cidr));
    this.#size = 1n << BigInt((cidr.v4 ? 32 : 128) - cidr.prefixLength);
    // The network address is never used; IPv4 gives up its broadcast address too.
    this.#first = this.#size === 1n ? 0n : 1n;
    this.#last = this.family === 'IPv4' && this.#size > 2n ? this.#size - 2n : this.#size - 1n;
  }

  /** The network's own address: what a dry run shows instead of an allocated one. */
  get network(): string {
    return this.#at(0n);
  }

  /** The first usable address: that of the `kubernetes` Service. */
  get first(): string {
    return this.#at(this.#first);
  }

  contains(ip: string): boolean {
    const bytes = parseIpSloppy(ip);
    if (bytes === undefined || (isIpv4(bytes) ? 'IPv4' : 'IPv6') !== this.family) return false;
    const offset = toBigInt(bytes) - this.#base;
    return offset >= this.#first && offset <= this.#last;
  }

  /** Every usable address once: the upper band from a random place on, then the reserved lower one. */
  *candidates(random: Random): Generator<string> {
    const count = this.#last - this.#first + 1n;
    const reserved = reservedBand(count);
    yield* this.#rotate(this.#first + reserved, count - reserved, random);
    yield* this.#rotate(this.#first, reserved, random);
  }

  *#rotate(from: bigint, count: bigint, random: Random): Generator<string> {
    if (count <= 0n) return;
    const span = count > 0x1_0000_0000n ? 0x1_0000_0000n : count;
    const start = BigInt(random.int(Number(span)));
    for (let step = 0n; step < count; step++) yield this.#at(from + ((start + step) % count));
  }

  #at(offset: bigint): string {
    return formatIp(toBytes(this.#base + offset));
  }
}

/** Upstream's rule: a sixteenth of the range, at least 16 and at most 256 addresses; none in tiny ranges. */
function reservedBand(count: bigint): bigint {
  if (count <= 16n) return 0n;
  const sixteenth = count / 16n;
  return sixteenth < 16n ? 16n : sixteenth > 256n ? 256n : sixteenth;
}

function toBigInt(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

/** 16 bytes; IPv4 addresses lie in their ::ffff: form, as the parser gives them. */
function toBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(16);
  let rest = value;
  for (let index = 15; index >= 0; index--) {
    bytes[index] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}
