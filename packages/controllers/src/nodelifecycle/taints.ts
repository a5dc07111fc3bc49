// Taints that say what is wrong with a node (spec/infrastructure.md §4.3, §4.7) and the patch that writes them. Pure.

import type { Node, NodeCondition, Taint } from '@homeostat/api/types/core-v1';
import { nodes } from '@homeostat/client/resources';
import { formatTime } from '@homeostat/machinery';
import type { PatchAction } from '@homeostat/runtime';

export const notReadyKey = 'node.kubernetes.io/not-ready';
export const unreachableKey = 'node.kubernetes.io/unreachable';
const unschedulableKey = 'node.kubernetes.io/unschedulable';

const conditionTaints: readonly { readonly type: string; readonly status: string; readonly key: string }[] = [
  { type: 'Ready', status: 'False', key: notReadyKey },
  { type: 'Ready', status: 'Unknown', key: unreachableKey },
  { type: 'MemoryPressure', status: 'True', key: 'node.kubernetes.io/memory-pressure' },
  { type: 'DiskPressure', status: 'True', key: 'node.kubernetes.io/disk-pressure' },
  { type: 'PIDPressure', status: 'True', key: 'node.kubernetes.io/pid-pressure' },
  { type: 'NetworkUnavailable', status: 'True', key: 'node.kubernetes.io/network-unavailable' },
];

const ownNoScheduleKeys: ReadonlySet<string> = new Set([
  ...conditionTaints.map((entry) => entry.key),
  unschedulableKey,
]);

export function nodeCondition(node: Node, type: string): NodeCondition | undefined {
  return node.status?.conditions?.find((condition) => condition.type === type);
}

/** The NoSchedule taints a node should have by its conditions. */
export function wantedNoSchedule(node: Node): readonly string[] {
  const keys = conditionTaints
    .filter((entry) => nodeCondition(node, entry.type)?.status === entry.status)
    .map((entry) => entry.key);
  return node.spec?.unschedulable === true ? [...keys, unschedulableKey] : keys;
}

/** The NoSchedule taints a node has of those this controller manages. */
export function presentNoSchedule(node: Node): readonly string[] {
  return (node.spec?.taints ?? [])
    .filter((taint) => taint.effect === 'NoSchedule' && ownNoScheduleKeys.has(taint.key))
    .map((taint) => taint.key);
}

export function hasNoExecute(node: Node, key: string): boolean {
  return node.spec?.taints?.some((taint) => taint.effect === 'NoExecute' && taint.key === key) ?? false;
}

export interface TaintChange {
  readonly effect: 'NoSchedule' | 'NoExecute';
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Writes the whole list, bound to the resourceVersion that was read: taints have no merge key. */
export function taintPatch(node: Node, change: TaintChange, now: number): PatchAction {
  const kept = (node.spec?.taints ?? []).filter(
    (taint) => !(taint.effect === change.effect && change.remove.includes(taint.key)),
  );
  const present = new Set(kept.filter((taint) => taint.effect === change.effect).map((taint) => taint.key));
  const added: Taint[] = change.add
    .filter((key) => !present.has(key))
    .map((key) => ({ key, effect: change.effect, timeAdded: formatTime(now) }));
  return {
    verb: 'patch',
    patchType: 'strategic',
    resource: nodes,
    name: node.metadata?.name ?? '',
    patch: {
      metadata: { resourceVersion: node.metadata?.resourceVersion ?? '' },
      spec: { taints: [...kept, ...added].map((taint) => ({ ...taint })) },
    } as PatchAction['patch'],
    tolerates: ['NotFound'],
    reason: 'NodeTaints',
    facts: {
      ...(change.add.length === 0 ? {} : { add: [...change.add] }),
      ...(change.remove.length === 0 ? {} : { remove: [...change.remove] }),
      effect: change.effect,
    },
  };
}
