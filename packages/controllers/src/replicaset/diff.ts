// The plan of a ReplicaSet: claim pods, make or delete the difference, write the status (spec/workloads.md §2.2). Pure.

import type { ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodActive, isPodReady, isPodTerminating, nextPodAvailabilityMs } from '@homeostat/api';
import { controllerOf, emptyPlan, type Outcome, type Plan, type Step } from '@homeostat/runtime';
import { isNamespaceTerminating } from '../shared/api-problem.ts';
import { claim, claimThen } from '../shared/controller-ref.ts';
import { labelSelectorMatcher } from '../shared/label-match.ts';
import { burstReplicas, createPodAction, deletePodAction } from '../shared/pod-control.ts';
import { replicaSets, pods as podResource } from '../shared/resources.ts';
import type { ObservedReplicaSet } from './observe.ts';
import { replicaSetStatus, sameStatus } from './status.ts';
import { rankVictims } from './victims.ts';

export function diff(observed: ObservedReplicaSet, now: number): Plan {
  const { replicaSet, candidates } = observed;
  const matches = labelSelectorMatcher(replicaSet.spec?.selector);
  if (matches === undefined) return emptyPlan;
  const selected = (pod: Pod): boolean => matches(pod.metadata?.labels ?? {});
  return claimThen({
    owner: replicaSet,
    ownerResource: replicaSets,
    resource: podResource,
    claim: claim(replicaSet, candidates.filter(isPodActive), selected),
    next: (active) => managePlan(observed, active, now),
  });
}

function managePlan(observed: ObservedReplicaSet, active: readonly Pod[], now: number): Plan {
  const { replicaSet } = observed;
  const step = replicaSet.metadata?.deletionTimestamp === undefined ? manageStep(observed, active, now) : undefined;
  if (step === undefined) return statusPlan(observed, active, undefined, now);
  return { steps: [step], next: (outcomes, later) => statusPlan(observed, active, firstError(outcomes), later) };
}

function manageStep(observed: ObservedReplicaSet, active: readonly Pod[], now: number): Step | undefined {
  const { replicaSet, relatedPerNode } = observed;
  const desired = replicaSet.spec?.replicas ?? 1;
  const facts = { desired, current: active.length };
  const template = replicaSet.spec?.template;
  if (active.length < desired && template !== undefined) {
    const count = Math.min(desired - active.length, burstReplicas);
    const action = createPodAction(replicaSet, replicaSets, template, { reason: 'TooFewReplicas', facts });
    return { mode: 'slow-start', actions: Array.from({ length: count }, () => action), onFailure: 'continue' };
  }
  if (active.length > desired) {
    const count = Math.min(active.length - desired, burstReplicas);
    const ranked = count < active.length ? rankVictims(active, { nowMs: now, relatedPerNode }) : active;
    const why = { reason: 'TooManyReplicas', facts };
    return {
      mode: 'parallel',
      actions: ranked.slice(0, count).map((pod) => deletePodAction(replicaSet, pod, why)),
      onFailure: 'continue',
    };
  }
  return undefined;
}

function statusPlan(
  observed: ObservedReplicaSet,
  active: readonly Pod[],
  error: string | undefined,
  now: number,
): Plan {
  const { replicaSet } = observed;
  const status = replicaSetStatus({ replicaSet, active, terminating: terminatingCount(observed), error, nowMs: now });
  const requeueAfterMs = nextCheckMs(observed, active, now);
  const requeue = requeueAfterMs === undefined ? {} : { requeueAfterMs };
  if (sameStatus(replicaSet, status)) return { steps: [], ...requeue };
  return {
    steps: [
      {
        actions: [
          {
            verb: 'status',
            resource: replicaSets,
            namespace: replicaSet.metadata?.namespace ?? '',
            name: replicaSet.metadata?.name ?? '',
            object: { ...replicaSet, apiVersion: 'apps/v1', kind: 'ReplicaSet', status } as ReplicaSet,
            reason: 'StatusChanged',
            facts: {
              replicas: status.replicas,
              ready: status.readyReplicas ?? 0,
              available: status.availableReplicas ?? 0,
            },
          },
        ],
      },
    ],
    ...requeue,
  };
}

function terminatingCount({ replicaSet, candidates }: ObservedReplicaSet): number {
  const matches = labelSelectorMatcher(replicaSet.spec?.selector);
  return candidates.filter(
    (pod) =>
      isPodTerminating(pod) &&
      controllerOf(pod)?.uid === replicaSet.metadata?.uid &&
      matches?.(pod.metadata?.labels ?? {}) === true,
  ).length;
}

function nextCheckMs({ replicaSet }: ObservedReplicaSet, active: readonly Pod[], now: number): number | undefined {
  const minReadySeconds = replicaSet.spec?.minReadySeconds ?? 0;
  if (minReadySeconds === 0) return undefined;
  const waits = active.filter(isPodReady).flatMap((pod) => nextPodAvailabilityMs(pod, minReadySeconds, now) ?? []);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

function firstError(outcomes: readonly Outcome[]): string | undefined {
  for (const outcome of outcomes) {
    if (outcome.status !== 'failed' || isNamespaceTerminating(outcome.error)) continue;
    return outcome.action.verb === 'delete' ? `unable to delete pods: ${outcome.error.message}` : outcome.error.message;
  }
  return undefined;
}
