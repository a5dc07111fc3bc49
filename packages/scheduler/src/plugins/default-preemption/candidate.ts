// One node on which removing pods of lower priority would make room, and the choice among such nodes (spec/scheduler.md §12.4).

import { parseTime } from '@homeostat/machinery';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../framework/pod-info.ts';

export interface Candidate {
  readonly node: NodeInfo;
  /** By importance, the most important first; at least one. */
  readonly victims: readonly PodInfo[];
  /** How many of them a PodDisruptionBudget would protect. */
  readonly violations: number;
}

/** The best candidate: the first criterion that tells one from the others decides. @param candidates not empty */
export function chooseCandidate(candidates: readonly Candidate[], nowMs: number): Candidate | undefined {
  const highestPriority = ({ victims }: Candidate): number => victims[0]?.priority ?? 0;
  const criteria: readonly ((candidate: Candidate) => number)[] = [
    ({ violations }) => violations,
    highestPriority,
    // Offset so that many victims of negative priority weigh more than few.
    ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
    ({ victims }) => victims.length,
    // Late starters lose the least.
    (candidate) => {
      const most = highestPriority(candidate);
      const starts = candidate.victims.filter(({ priority }) => priority === most).map((pod) => startMs(pod, nowMs));
      return -Math.min(...starts);
    },
  ];
  let left = candidates;
  for (const criterion of criteria) {
    if (left.length <= 1) break;
    const values = left.map(criterion);
    const best = Math.min(...values);
    left = left.filter((_, index) => values[index] === best);
  }
  return left[0];
}

/** Orders pods by importance: the higher priority, then the longer running, first. */
export function compareImportance(nowMs: number): (a: PodInfo, b: PodInfo) => number {
  return (a, b) => b.priority - a.priority || startMs(a, nowMs) - startMs(b, nowMs);
}

function startMs({ pod }: PodInfo, nowMs: number): number {
  const time = pod.status?.startTime;
  return time === undefined ? nowMs : parseTime(time);
}
