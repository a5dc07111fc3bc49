// Node ports: which are free follows from the Services that are stored, plus what writes under way have reserved
// (KEP-3668: the low band is for ports that are asked for by number).

import type { Random } from '@homeostat/base';
import type { Service } from '@homeostat/api/types/core-v1';
import type { StoredResource } from '../stored-resource.ts';

export interface NodePortRange {
  readonly from: number;
  readonly to: number;
}

export class NodePorts {
  readonly range: NodePortRange;
  readonly #random: Random;
  readonly #services: () => StoredResource | undefined;
  /** How many stored Services use a port. */
  readonly #used = new Map<number, number>();
  /** Reserved by writes that are not finished, or not seen yet: revision from which the cache knows them. */
  readonly #pending = new Map<number, number>();
  #follows: StoredResource | undefined;
  #generation = -1;

  constructor(options: {
    readonly range: NodePortRange;
    readonly random: Random;
    readonly services: () => StoredResource | undefined;
  }) {
    this.range = options.range;
    this.#random = options.random;
    this.#services = options.services;
  }

  /** Reserves a port by number; returns what is wrong with it, if anything. */
  reserve(port: number): string | undefined {
    const { from, to } = this.range;
    if (port < from || port > to)
      return `provided port is not in the valid range. The range of valid ports is ${from}-${to}`;
    if (this.#taken(port)) return 'provided port is already allocated';
    this.#pending.set(port, Number.POSITIVE_INFINITY);
    return undefined;
  }

  /** Reserves any free port. @throws Error when there is none */
  reserveAny(): number {
    const { from, to } = this.range;
    const count = to - from + 1;
    const reserved = reservedBand(count);
    const port = this.#free(from + reserved, count - reserved) ?? this.#free(from, reserved);
    if (port === undefined) throw new Error('range is full');
    this.#pending.set(port, Number.POSITIVE_INFINITY);
    return port;
  }

  /** Ends a reservation: what was stored is known by the cache from `revision` on. */
  settle(ports: Iterable<number>, revision: number | undefined): void {
    for (const port of ports) {
      if (revision === undefined) this.#pending.delete(port);
      else this.#pending.set(port, revision);
    }
  }

  #free(from: number, count: number): number | undefined {
    if (count <= 0) return undefined;
    const start = this.#random.int(count);
    for (let step = 0; step < count; step++) {
      const port = from + ((start + step) % count);
      if (!this.#taken(port)) return port;
    }
    return undefined;
  }

  #taken(port: number): boolean {
    this.#follow();
    const until = this.#pending.get(port);
    if (until !== undefined) {
      if ((this.#follows?.hub.revision ?? 0) < until) return true;
      this.#pending.delete(port);
    }
    return (this.#used.get(port) ?? 0) > 0;
  }

  /** Counts the ports of all Services once, then keeps the count by their changes. */
  #follow(): void {
    const services = this.#services();
    if (services === undefined) return;
    if (this.#follows !== services) {
      this.#follows = services;
      services.cache.onEvent((event) => {
        for (const port of portsOf(event.previous?.stored as Service | undefined)) this.#count(port, -1);
        for (const port of portsOf(event.current?.stored as Service | undefined)) this.#count(port, 1);
      });
    }
    if (this.#generation === services.cache.generation) return;
    this.#generation = services.cache.generation;
    this.#used.clear();
    for (const version of services.cache.list())
      for (const port of portsOf(version.stored as Service)) this.#count(port, 1);
  }

  #count(port: number, by: number): void {
    const count = (this.#used.get(port) ?? 0) + by;
    if (count > 0) this.#used.set(port, count);
    else this.#used.delete(port);
  }
}

/** Upstream's rule: a thirty-second of the range, at least 16 and at most 128 ports; none in small ranges. */
function reservedBand(count: number): number {
  if (count <= 16) return 0;
  return Math.min(Math.max(16, Math.floor(count / 32)), 128);
}

/** Every node port of a Service once, the health check port included. */
export function portsOf(service: Service | undefined): ReadonlySet<number> {
  const ports = new Set<number>();
  for (const { nodePort = 0 } of service?.spec?.ports ?? []) if (nodePort !== 0) ports.add(nodePort);
  const health = service?.spec?.healthCheckNodePort ?? 0;
  if (health !== 0) ports.add(health);
  return ports;
}
