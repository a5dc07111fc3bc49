// Zones and their state: how many nodes of a zone are well decides how fast its nodes may be given up
// (spec/infrastructure.md §4.6b). Pure.

import type { Node } from '@homeostat/api/types/core-v1';

export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption';

export function zoneOf(node: Node): string {
  const labels = node.metadata?.labels ?? {};
  const region = labels['failure-domain.beta.kubernetes.io/region'] ?? labels['topology.kubernetes.io/region'] ?? '';
  const zone = labels['failure-domain.beta.kubernetes.io/zone'] ?? labels['topology.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
}

export interface ZoneCounts {
  readonly ready: number;
  readonly notReady: number;
}

export function zoneState({ ready, notReady }: ZoneCounts, unhealthyThreshold: number): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  if (notReady > 2 && notReady / (ready + notReady) >= unhealthyThreshold) return 'PartialDisruption';
  return 'Normal';
}
