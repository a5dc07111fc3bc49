// Sets a condition of a Pod as upstream's helper does: the transition time moves only when the status changes.

import type { KubeObject, Mutable } from '@homeostat/machinery';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

interface StoredCondition extends PodCondition {
  readonly observedGeneration?: number;
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string | null;
}

/** Adds or replaces the condition of the same type, in place. */
export function updatePodCondition(pod: Mutable<KubeObject>, condition: PodCondition, now: string): void {
  const holder = pod as { status?: { conditions?: StoredCondition[] } };
  const status = (holder.status ??= {});
  const conditions = (status.conditions ??= []);
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  const lastTransitionTime =
    old !== undefined && old.status === condition.status ? (old.lastTransitionTime ?? now) : now;
  const next: StoredCondition = { ...condition, lastProbeTime: old?.lastProbeTime ?? null, lastTransitionTime };
  if (old === undefined) conditions.push(next);
  else conditions[index] = next;
}
