// The plan of a ReplicaSet or ReplicationController: claim pods, make or delete the difference, write the status
// (spec/workloads.md §2.2, §3). Pure.

import type { Pod } from '@homeostat/api/types/core-v1';
import { isPodActive, isPodReady, isPodTerminating, nextPodAvailabilityMs } from '@homeostat/api';
import { pods as podResource } from '@homeostat/client/resources';
import type { KubeObject } from '@homeostat/machinery';
import { controllerOf, emptyPlan, type Outcome, type Plan, type Step } from '@homeostat/runtime';
import { isNamespaceTerminating } from '../api-problem.ts';
import { claim, claimThen, inNamespace } from '../controller-ref.ts';
import { burstReplicas, createPodAction, deletePodAction } from '../pod-control.ts';
import type { ObservedReplicas } from './replica-owner.ts';
import { replicasStatus, sameStatus } from './status.ts';
import { rankVictims } from './victims.ts';

export function replicasPlan(observed: ObservedReplicas, now: number): Plan {
  const { owner, kind, matches, candidates } = observed;
  if (matches === undefined) return emptyPlan;
  const selected = (pod: Pod): boolean => matches(pod.metadata?.labels ?? {});
  return claimThen({
    owner,
    ownerResource: kind.resource,
    resource: podResource,
    claim: claim(owner, candidates.filter(isPodActive), selected),
    next: (active) => managePlan(observed, active, now),
  });
}

function managePlan(observed: ObservedReplicas, active: readonly Pod[], now: number): Plan {
  const { owner } = observed;
  const step = owner.metadata?.deletionTimestamp === undefined ? manageStep(observed, active, now) : undefined;
  if (step === undefined) return statusPlan(observed, active, undefined, now);
  // What is beyond one sync's share is done as soon as the cache shows this one's.
  const left = Math.abs(active.length - (owner.spec?.replicas ?? 1)) > step.actions.length;
  return {
    steps: [step],
    ...(left ? { requeueAfterMs: 0 } : {}),
    next: (outcomes, later) => statusPlan(observed, active, firstError(outcomes), later),
  };
}

function manageStep(observed: ObservedReplicas, active: readonly Pod[], now: number): Step | undefined {
  const { owner, kind, relatedPerNode } = observed;
  const desired = owner.spec?.replicas ?? 1;
  const facts = { desired, current: active.length };
  const template = owner.spec?.template;
  if (active.length < desired && template !== undefined) {
    const count = Math.min(desired - active.length, burstReplicas);
    const action = createPodAction(owner, kind.resource, template, { reason: 'TooFewReplicas', facts });
    return { mode: 'slow-start', actions: Array.from({ length: count }, () => action), onFailure: 'continue' };
  }
  if (active.length > desired) {
    const count = Math.min(active.length - desired, burstReplicas);
    const ranked = count < active.length ? rankVictims(active, { nowMs: now, relatedPerNode }) : active;
    const why = { reason: 'TooManyReplicas', facts };
    return {
      mode: 'parallel',
      actions: ranked.slice(0, count).map((pod) => deletePodAction(owner, pod, why)),
      onFailure: 'continue',
    };
  }
  return undefined;
}

function statusPlan(observed: ObservedReplicas, active: readonly Pod[], error: string | undefined, now: number): Plan {
  const { owner, kind } = observed;
  const terminating = kind.countsTerminating ? terminatingCount(observed) : undefined;
  const status = replicasStatus({ owner, active, terminating, error, nowMs: now });
  const requeueAfterMs = nextCheckMs(observed, active, now);
  const requeue = requeueAfterMs === undefined ? {} : { requeueAfterMs };
  if (sameStatus(owner, status)) return { steps: [], ...requeue };
  const { readyReplicas = 0, availableReplicas = 0 } = status;
  return {
    steps: [
      {
        actions: [
          {
            verb: 'status',
            resource: kind.resource,
            ...inNamespace(owner),
            name: owner.metadata?.name ?? '',
            object: { ...owner, apiVersion: kind.apiVersion, kind: kind.resource.kind, status } as KubeObject,
            reason: 'StatusChanged',
            facts: { replicas: status.replicas, ready: readyReplicas, available: availableReplicas },
          },
        ],
      },
    ],
    ...requeue,
  };
}

function terminatingCount({ owner, matches, candidates }: ObservedReplicas): number {
  return candidates.filter(
    (pod) =>
      isPodTerminating(pod) &&
      controllerOf(pod)?.uid === owner.metadata?.uid &&
      matches?.(pod.metadata?.labels ?? {}) === true,
  ).length;
}

function nextCheckMs({ owner }: ObservedReplicas, active: readonly Pod[], now: number): number | undefined {
  const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
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
