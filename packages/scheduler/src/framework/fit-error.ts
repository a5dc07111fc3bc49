// No node took the pod: why, in the words users see (spec/scheduler.md §9.2).

import { compareBytewise } from '@homeostat/machinery';
import { NodeToStatus } from './node-to-status.ts';
import type { Status } from './status.ts';

/** Text when there is not a single node. */
export const noNodesText = 'no nodes available to schedule pods';

/** What a cycle found out. */
export class Diagnosis {
  readonly nodeToStatus = new NodeToStatus();
  /** Plugins that turned the pod down on some node; their events bring it back. */
  readonly unschedulablePlugins = new Set<string>();
  readonly pendingPlugins = new Set<string>();
  /** Replaces the reasons of nodes. */
  preFilterMessage = '';
  /** Follows them. */
  postFilterMessage = '';

  /** Notes who turned the pod down. */
  addRejector(status: Status): void {
    if (status.plugin === '') return;
    if (status.code === 'Pending') this.pendingPlugins.add(status.plugin);
    else this.unschedulablePlugins.add(status.plugin);
  }
}

/** No node fits. */
export class FitError extends Error {
  override readonly name = 'FitError';
  readonly nodeCount: number;
  readonly diagnosis: Diagnosis;

  constructor(nodeCount: number, diagnosis: Diagnosis) {
    super();
    this.nodeCount = nodeCount;
    this.diagnosis = diagnosis;
    // What PostFilter says comes later than the error is made.
    Object.defineProperty(this, 'message', { get: () => fitErrorText(nodeCount, diagnosis), configurable: true });
  }
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` and what preemption said. */
export function fitErrorText(nodeCount: number, diagnosis: Diagnosis): string {
  const { preFilterMessage, postFilterMessage } = diagnosis;
  const reasons = preFilterMessage === '' ? histogramText(nodeCount, diagnosis.nodeToStatus) : ` ${preFilterMessage}.`;
  return `0/${nodeCount} nodes are available:${reasons}${postFilterMessage === '' ? '' : ` ${postFilterMessage}`}`;
}

function histogramText(nodeCount: number, nodeToStatus: NodeToStatus): string {
  const counts = new Map<string, number>();
  const count = (status: Status, times: number): void => {
    for (const reason of status.reasons) counts.set(reason, (counts.get(reason) ?? 0) + times);
  };
  for (const status of nodeToStatus.values()) count(status, 1);
  const absent = nodeCount - nodeToStatus.size;
  if (absent > 0) count(nodeToStatus.absent, absent);
  if (counts.size === 0) return '';
  // Sorted as texts, the count included.
  const texts = Array.from(counts, ([reason, times]) => `${times} ${reason}`).sort(compareBytewise);
  return ` ${texts.join(', ')}.`;
}
