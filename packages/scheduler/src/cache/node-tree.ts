// Node names by zone, and the order in which nodes are looked at: one of each zone in turn, so that a partial look covers all
// zones alike (spec/scheduler.md §5.2).

import type { Node } from '@homeostat/api/types/core-v1';

export class NodeTree {
  /** Zones in the order in which they appeared; nodes of each likewise. */
  readonly #zones = new Map<string, Set<string>>();
  readonly #zoneOf = new Map<string, string>();

  get size(): number {
    return this.#zoneOf.size;
  }

  /** Adds a node, or moves it to its new zone when that changed. */
  set(node: Node): void {
    const name = node.metadata?.name ?? '';
    const zone = zoneKeyOf(node);
    if (this.#zoneOf.get(name) === zone) return;
    this.delete(name);
    let names = this.#zones.get(zone);
    if (names === undefined) this.#zones.set(zone, (names = new Set()));
    names.add(name);
    this.#zoneOf.set(name, zone);
  }

  delete(name: string): void {
    const zone = this.#zoneOf.get(name);
    if (zone === undefined) return;
    this.#zoneOf.delete(name);
    const names = this.#zones.get(zone);
    names?.delete(name);
    if (names?.size === 0) this.#zones.delete(zone);
  }

  /** All names: the first of each zone, then the second of each, and so on. */
  list(): readonly string[] {
    const zones = Array.from(this.#zones.values(), (names) => [...names]);
    const names: string[] = [];
    for (let turn = 0; names.length < this.#zoneOf.size; turn++) {
      for (const zone of zones) {
        const name = zone[turn];
        if (name !== undefined) names.push(name);
      }
    }
    return names;
  }
}

/** Region and zone as one text; empty when the node has neither. */
export function zoneKeyOf(node: Node): string {
  const labels = node.metadata?.labels ?? {};
  const region = labels['failure-domain.beta.kubernetes.io/region'] ?? labels['topology.kubernetes.io/region'] ?? '';
  const zone = labels['failure-domain.beta.kubernetes.io/zone'] ?? labels['topology.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`;
}
