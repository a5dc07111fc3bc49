// Which pods go first when a set of pods shrinks (spec/workloads.md §2.6). Pure.

import type { Pod } from '@homeostat/api/types/core-v1';
import { getPodCondition, isPodReady, parseDeletionCost } from '@homeostat/api';
import { parseTime } from '@homeostat/machinery';

export interface VictimContext {
  /** Epoch milliseconds. */
  readonly nowMs: number;
  /** Active pods of the whole rollout by node name: those on crowded nodes go first. */
  readonly relatedPerNode: ReadonlyMap<string, number>;
}

/** Sorts pods so that the first are to be deleted first. Stable for equals. */
export function rankVictims(pods: readonly Pod[], context: VictimContext): readonly Pod[] {
  return pods.toSorted((a, b) => compareVictims(a, b, context));
}

function compareVictims(a: Pod, b: Pod, { nowMs, relatedPerNode }: VictimContext): number {
  const nodeA = a.spec?.nodeName ?? '';
  const nodeB = b.spec?.nodeName ?? '';
  if (nodeA !== nodeB && (nodeA === '' || nodeB === '')) return nodeA === '' ? -1 : 1;
  const phase = phaseRank(a) - phaseRank(b);
  if (phase !== 0) return phase;
  const readyA = isPodReady(a);
  const readyB = isPodReady(b);
  if (readyA !== readyB) return readyA ? 1 : -1;
  const cost = deletionCost(a) - deletionCost(b);
  if (cost !== 0) return cost;
  const crowd = (relatedPerNode.get(nodeB) ?? 0) - (relatedPerNode.get(nodeA) ?? 0);
  if (crowd !== 0) return crowd;
  if (readyA && readyB) {
    const byReady = compareAges(readySince(a), readySince(b), a, b, nowMs);
    if (byReady !== 0) return byReady;
  }
  const restarts = mostRestarts(b, false) - mostRestarts(a, false) || mostRestarts(b, true) - mostRestarts(a, true);
  if (restarts !== 0) return restarts;
  return compareAges(created(a), created(b), a, b, nowMs);
}

function phaseRank(pod: Pod): number {
  switch (pod.status?.phase) {
    case 'Running':
      return 2;
    case 'Unknown':
      return 1;
    default:
      return 0;
  }
}

// What cannot be read counts as no cost.
function deletionCost(pod: Pod): number {
  return parseDeletionCost(pod.metadata?.annotations) ?? 0;
}

// Younger first, in buckets of powers of two, so that repeated scaling does not always hit the same topology; within a
// bucket the uid decides, which is as good as chance.
function compareAges(a: number | undefined, b: number | undefined, podA: Pod, podB: Pod, nowMs: number): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const bucket = ageBucket(a, nowMs) - ageBucket(b, nowMs);
  if (bucket !== 0) return bucket;
  const uidA = podA.metadata?.uid ?? '';
  const uidB = podB.metadata?.uid ?? '';
  return uidA < uidB ? -1 : uidA > uidB ? 1 : 0;
}

function ageBucket(atMs: number, nowMs: number): number {
  const nanoseconds = (nowMs - atMs) * 1e6;
  return nanoseconds <= 0 ? -1 : Math.floor(Math.log2(nanoseconds));
}

function readySince(pod: Pod): number | undefined {
  return toMs(getPodCondition(pod, 'Ready')?.lastTransitionTime);
}

function created(pod: Pod): number | undefined {
  return toMs(pod.metadata?.creationTimestamp);
}

function toMs(time: string | null | undefined): number | undefined {
  return time === undefined || time === null ? undefined : parseTime(time);
}

function mostRestarts(pod: Pod, sidecars: boolean): number {
  if (!sidecars) return Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount));
  const restartable = new Set(
    (pod.spec?.initContainers ?? [])
      .filter((container) => container.restartPolicy === 'Always')
      .map((container) => container.name),
  );
  const statuses = (pod.status?.initContainerStatuses ?? []).filter((status) => restartable.has(status.name));
  return Math.max(0, ...statuses.map((status) => status.restartCount));
}
