// What exactly an update changed, as far as plugins can ask for it (spec/scheduler.md §3.4).

import { deepEqual } from '@homeostat/machinery';
import type { Node, Pod } from '@homeostat/api/types/core-v1';
import { actions, type ClusterEvent, clusterEvent } from '../framework/cluster-event.ts';
import { podInfoOf } from '../framework/pod-info.ts';
import { amountIn, type Amounts } from '../resources/amounts.ts';

/** The changes of a pod; the generic update when none of the particular ones happened. */
export function derivePodEvents(
  resource: 'AssignedPod' | 'UnschedulablePod',
  old: Pod,
  now: Pod,
): readonly ClusterEvent[] {
  const found: ClusterEvent[] = [];
  const add = (action: number): void => void found.push(clusterEvent(resource, action));
  if (!deepEqual(old.metadata?.labels ?? {}, now.metadata?.labels ?? {})) add(actions.updatePodLabel);
  if (isScaleDown(podInfoOf(old).usage.requested, podInfoOf(now).usage.requested)) add(actions.updatePodScaleDown);
  if ((old.spec?.schedulingGates?.length ?? 0) > 0 && (now.spec?.schedulingGates?.length ?? 0) === 0)
    add(actions.updatePodSchedulingGatesEliminated);
  // Tolerations can only be added.
  if (old.spec?.tolerations?.length !== now.spec?.tolerations?.length) add(actions.updatePodToleration);
  if (
    !deepEqual(old.status?.resourceClaimStatuses, now.status?.resourceClaimStatuses) ||
    !deepEqual(old.status?.extendedResourceClaimStatus, now.status?.extendedResourceClaimStatus)
  )
    add(actions.updatePodGeneratedResourceClaim);
  if (found.length === 0) add(actions.updateOther);
  return found;
}

/** The changes of a node; none for a heartbeat. */
export function deriveNodeEvents(old: Node, now: Node): readonly ClusterEvent[] {
  const found: ClusterEvent[] = [];
  const add = (action: number): void => void found.push(clusterEvent('Node', action));
  if (old.spec?.unschedulable === true && now.spec?.unschedulable !== true) add(actions.updateNodeTaint);
  if (differs(old.status?.allocatable, now.status?.allocatable)) add(actions.updateNodeAllocatable);
  if (differs(old.metadata?.labels ?? {}, now.metadata?.labels ?? {})) add(actions.updateNodeLabel);
  if (differs(old.spec?.taints ?? [], now.spec?.taints ?? [])) add(actions.updateNodeTaint);
  if (differs(conditionsOf(old), conditionsOf(now))) add(actions.updateNodeCondition);
  if (differs(old.metadata?.annotations ?? {}, now.metadata?.annotations ?? {})) add(actions.updateNodeAnnotation);
  if (differs(old.status?.declaredFeatures ?? [], now.status?.declaredFeatures ?? []))
    add(actions.updateNodeDeclaredFeature);
  return found;
}

function differs(a: unknown, b: unknown): boolean {
  return a !== b && !deepEqual(a, b);
}

function conditionsOf(node: Node): Readonly<Record<string, string>> {
  return Object.fromEntries((node.status?.conditions ?? []).map(({ type, status }) => [type, status]));
}

function isScaleDown(old: Amounts, now: Amounts): boolean {
  for (const name of ['cpu', 'memory', 'ephemeral-storage', ...old.scalars.keys()]) {
    if (amountIn(now, name) < amountIn(old, name)) return true;
  }
  return false;
}
