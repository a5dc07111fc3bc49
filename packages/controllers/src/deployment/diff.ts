// The plan of a Deployment (spec/workloads.md §4.3). A sync writes one kind of thing and ends; the change it made wakes the
// key again, and the fence keeps that sync from running on an older cache. Pure.

import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import { deployments, replicaSets } from '@homeostat/client/resources';
import { type Action, emptyPlan, type Plan } from '@homeostat/runtime';
import { claim, claimThen } from '../shared/controller-ref.ts';
import { labelSelectorMatcher } from '../shared/label-match.ts';
import { event } from '../shared/pod-control.ts';
import { findCondition, hasDeadline, isComplete, setCondition } from './conditions.ts';
import { cleanHistory } from './history.ts';
import { createNewReplicaSet, keepNewReplicaSet, splitReplicaSets } from './new-replica-set.ts';
import { desiredReplicas, specReplicas } from './numbers.ts';
import type { ObservedDeployment } from './observe.ts';
import { rollbackPlan, rollbackRevision } from './rollback.ts';
import { growNew, shrinkOld } from './rolling-update.ts';
import { isScaling, scaleRollout } from './scale.ts';
import { scaleReplicaSet } from './scale-replica-set.ts';
import { plainStatusPlan, type Rollout, rolloutStatusPlan, statusAction } from './status.ts';

export function diff(observed: ObservedDeployment, now: number): Plan {
  const { deployment, candidates } = observed;
  const matches = labelSelectorMatcher(deployment.spec?.selector);
  if (matches === undefined) return selectsAll(deployment);
  return claimThen<ReplicaSet>({
    owner: deployment,
    ownerResource: deployments,
    resource: replicaSets,
    claim: claim(deployment, candidates, (replicaSet) => matches(replicaSet.metadata?.labels ?? {})),
    next: (claimed) => syncPlan(observed, splitReplicaSets(deployment, claimed), now),
  });
}

function syncPlan(observed: ObservedDeployment, rollout: Rollout, now: number): Plan {
  const { deployment } = observed;
  const keep = keepNewReplicaSet(rollout, now);
  if (deployment.metadata?.deletionTimestamp !== undefined) return keep ?? plainStatusPlan(rollout, now);
  const pause = pausePlan(deployment, now);
  if (pause !== undefined) return pause;
  const rollback = rollbackRevision(deployment);
  if (deployment.spec?.paused !== true && rollback !== undefined) {
    if (rollout.newReplicaSet === undefined) return createNewReplicaSet(rollout, now);
    return keep ?? rollbackPlan(rollout, rollback);
  }
  if (keep !== undefined) return keep;
  if (deployment.spec?.paused === true || isScaling(rollout)) {
    const history = deployment.spec?.paused === true && rollback === undefined ? cleanHistory(rollout) : [];
    return writeThen([...scaleRollout(rollout), ...history], () => plainStatusPlan(rollout, now));
  }
  switch (deployment.spec?.strategy?.type) {
    case 'Recreate':
      return recreatePlan(observed, rollout, now);
    case 'RollingUpdate':
      return rollingPlan(rollout, now);
    default: {
      const message = `unexpected deployment strategy type: ${deployment.spec?.strategy?.type ?? ''}`;
      return { steps: [], failure: { reason: 'UnknownStrategy', message } };
    }
  }
}

function rollingPlan(rollout: Rollout, now: number): Plan {
  if (rollout.newReplicaSet === undefined) return createNewReplicaSet(rollout, now);
  const grow = growNew(rollout);
  if (grow.length > 0) return writeThen(grow, (later) => rolloutStatusPlan(rollout, later));
  const shrink = shrinkOld(rollout);
  if (shrink.length > 0) return writeThen(shrink, (later) => rolloutStatusPlan(rollout, later));
  return finishPlan(rollout, now);
}

function recreatePlan(observed: ObservedDeployment, rollout: Rollout, now: number): Plan {
  const { deployment } = observed;
  const { newReplicaSet, oldReplicaSets } = rollout;
  const shrink = oldReplicaSets
    .filter((set) => specReplicas(set) > 0)
    .flatMap((set) => scaleReplicaSet(deployment, set, 0));
  if (shrink.length > 0) return writeThen(shrink, (later) => rolloutStatusPlan(rollout, later));
  if (oldPodsRun(observed, rollout)) return rolloutStatusPlan(rollout, now);
  if (newReplicaSet === undefined) return createNewReplicaSet(rollout, now);
  const grow = scaleReplicaSet(deployment, newReplicaSet, desiredReplicas(deployment));
  if (grow.length > 0) return writeThen(grow, (later) => rolloutStatusPlan(rollout, later));
  return finishPlan(rollout, now);
}

// Pods that are being terminated still run: Recreate promises that old and new never do at the same time.
function oldPodsRun({ podsByReplicaSet }: ObservedDeployment, { oldReplicaSets }: Rollout): boolean {
  return oldReplicaSets.some((replicaSet) => {
    if ((replicaSet.status?.replicas ?? 0) > 0) return true;
    const pods = podsByReplicaSet.get(replicaSet.metadata?.uid ?? '') ?? [];
    return pods.some((pod) => pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed');
  });
}

// History is cleaned by what the stored status says, one sync after completion was written.
function finishPlan(rollout: Rollout, now: number): Plan {
  const { deployment } = rollout;
  const history = isComplete(deployment, deployment.status) ? cleanHistory(rollout) : [];
  return writeThen(history, (later) => rolloutStatusPlan(rollout, later), now);
}

function writeThen(actions: readonly Action[], next: (later: number) => Plan, now = 0): Plan {
  if (actions.length === 0) return next(now);
  return {
    steps: [{ actions }],
    next: (outcomes, later) => (outcomes.every((outcome) => outcome.status === 'done') ? next(later) : { steps: [] }),
  };
}

function pausePlan(deployment: Deployment, now: number): Plan | undefined {
  const progressing = findCondition(deployment.status?.conditions, 'Progressing');
  if (!hasDeadline(deployment) || progressing?.reason === 'ProgressDeadlineExceeded') return undefined;
  const paused = deployment.spec?.paused === true;
  const saysPaused = progressing?.reason === 'DeploymentPaused';
  if (paused === saysPaused) return undefined;
  const reason = paused ? 'DeploymentPaused' : 'DeploymentResumed';
  const message = paused ? 'Deployment is paused' : 'Deployment is resumed';
  const conditions = setCondition(
    deployment.status?.conditions ?? [],
    { type: 'Progressing', status: 'Unknown', reason, message },
    now,
  );
  const status = { ...deployment.status, conditions };
  return { steps: [{ actions: [statusAction(deployment, status, { reason, facts: { paused } })] }] };
}

function selectsAll(deployment: Deployment): Plan {
  const selector = deployment.spec?.selector;
  if (selector !== undefined && Object.keys(selector).length > 0) return emptyPlan;
  const generation = deployment.metadata?.generation ?? 0;
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return emptyPlan;
  const text = 'This deployment is selecting all pods. A non-empty selector is required.';
  const status = { ...deployment.status, observedGeneration: generation };
  const action = statusAction(deployment, status, { reason: 'SelectingAll', facts: {} });
  return { steps: [{ actions: [event(deployment, 'Warning', 'SelectingAll', text), action] }] };
}
