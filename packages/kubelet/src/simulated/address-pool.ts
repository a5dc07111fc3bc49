// The Pod addresses of one node: each in use once, the next one after the last, as host-local address management does it.

import { RuntimeFailure } from '../runtime/container-runtime.ts';

export interface AddressRange {
  /** The network's address as a number. */
  readonly base: number;
  readonly size: number;
}

/** Parses an IPv4 range such as `10.244.3.0/24`; undefined when it is none. */
export function parseRange(cidr: string): AddressRange | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, bits = 0] = match.slice(1).map(Number);
  if ([a, b, c, d].some((byte) => byte > 255) || bits > 30) return undefined;
  const size = 2 ** (32 - bits);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  return { base: address - (address % size), size };
}

export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

export class AddressPool {
  readonly #range: () => AddressRange;
  readonly #used = new Set<number>();
  #last = 0;

  /** @param range asked each time: a node may be told its range late */
  constructor(range: () => AddressRange) {
    this.#range = range;
  }

  /** Takes a free address. @throws RuntimeFailure when there is none */
  take(): string {
    const { base, size } = this.#range();
    // Neither the network's address, nor the gateway's, nor the broadcast address.
    const hosts = size - 3;
    for (let step = 1; step <= hosts; step++) {
      const address = base + 2 + ((this.#last + step - 1) % hosts);
      if (this.#used.has(address)) continue;
      this.#used.add(address);
      this.#last = (this.#last + step) % hosts;
      return formatAddress(address);
    }
    throw new RuntimeFailure(
      'FailedCreatePodSandBox',
      `no IP addresses available in range set: ${formatAddress(base)}`,
    );
  }

  release(address: string): void {
    const number = address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
    this.#used.delete(number);
  }
}
