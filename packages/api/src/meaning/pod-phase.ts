// What the phase and the deletion timestamp of a Pod mean together (spec/workloads.md §1.7).

import type { Pod } from '@homeostat/api/types/core-v1';

/** Succeeded or Failed: it will never run again. */
export function isPodTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** Neither terminal nor being deleted: it counts as a replica. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata?.deletionTimestamp === undefined;
}

/** Being deleted, and not yet terminal. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodTerminal(pod) && pod.metadata?.deletionTimestamp !== undefined;
}
