// Finding the ReplicaSet of the present template, keeping its annotations right, and making it when there is none
// (spec/workloads.md §4.4). Pure.

import type { Deployment, DeploymentStatus, ReplicaSet } from '@homeostat/api/types/apps-v1';
import type { PodTemplateSpec } from '@homeostat/api/types/core-v1';
import { semanticEqual, structByName } from '@homeostat/api';
import { isApiError } from '@homeostat/base';
import { deployments, replicaSets } from '@homeostat/client/resources';
import { controllerOf, type Outcome, type Plan } from '@homeostat/runtime';
import { isNamespaceTerminating } from '../shared/api-problem.ts';
import { controllerReference } from '../shared/controller-ref.ts';
import { event } from '../shared/pod-control.ts';
import { templateHash } from '../shared/template-hash.ts';
import {
  copiedAnnotations,
  newReplicaSetAnnotations,
  nextRevision,
  replicasAnnotations,
  revisionAnnotation,
  templateHashLabel,
} from './annotations.ts';
import { findCondition, hasDeadline, type NewCondition, setCondition } from './conditions.ts';
import { byCreation, desiredReplicas, maxSurge, newReplicaSetSize } from './numbers.ts';
import { type Rollout, statusAction } from './status.ts';

const nameLengthMax = 253;

/** Splits the claimed ReplicaSets: the oldest one with the present template is the new one. */
export function splitReplicaSets(deployment: Deployment, claimed: readonly ReplicaSet[]): Rollout {
  const sorted = claimed.toSorted(byCreation);
  const newReplicaSet = sorted.find((replicaSet) => sameTemplate(replicaSet.spec?.template, deployment.spec?.template));
  return { deployment, newReplicaSet, oldReplicaSets: sorted.filter((replicaSet) => replicaSet !== newReplicaSet) };
}

/** Whether two templates are equal but for the hash label. */
export function sameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return semanticEqual(withoutHash(a), withoutHash(b), structByName('io.k8s.api.core.v1.PodTemplateSpec'));
}

/** A template without the hash label. */
export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  if (template?.metadata?.labels?.[templateHashLabel] === undefined) return template;
  const { [templateHashLabel]: _hash, ...labels } = template.metadata.labels;
  return { ...template, metadata: { ...template.metadata, labels } };
}

/**
 * Writes what an existing new ReplicaSet or its Deployment lacks: annotations, revision, minReadySeconds, the first
 * Progressing condition. Undefined when both are as they should be.
 */
export function keepNewReplicaSet(rollout: Rollout, nowMs: number): Plan | undefined {
  const { deployment, newReplicaSet, oldReplicaSets } = rollout;
  if (newReplicaSet === undefined) return undefined;
  const annotations = newReplicaSetAnnotations(deployment, newReplicaSet, nextRevision(oldReplicaSets));
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  if (annotations !== undefined || (newReplicaSet.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
    const object = {
      ...newReplicaSet,
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { ...newReplicaSet.metadata, annotations: annotations ?? newReplicaSet.metadata?.annotations ?? {} },
      spec: { ...newReplicaSet.spec, minReadySeconds },
    } as ReplicaSet;
    return {
      steps: [
        {
          actions: [
            {
              verb: 'update',
              resource: replicaSets,
              namespace: deployment.metadata?.namespace ?? '',
              name: newReplicaSet.metadata?.name ?? '',
              object,
              reason: 'ReplicaSetAnnotations',
              facts: { revision: object.metadata?.annotations?.[revisionAnnotation] ?? '' },
            },
          ],
        },
      ],
    };
  }
  return mirrorRevision(
    deployment,
    newReplicaSet,
    { reason: 'FoundNewReplicaSet', message: `Found new replica set "${newReplicaSet.metadata?.name ?? ''}"` },
    nowMs,
  );
}

function mirrorRevision(
  deployment: Deployment,
  replicaSet: ReplicaSet,
  found: { readonly reason: string; readonly message: string },
  nowMs: number,
): Plan | undefined {
  const revision = replicaSet.metadata?.annotations?.[revisionAnnotation] ?? '';
  const annotations = { ...deployment.metadata?.annotations, [revisionAnnotation]: revision };
  const revisionChanged = deployment.metadata?.annotations?.[revisionAnnotation] !== revision && revision !== '';
  const needsCondition =
    hasDeadline(deployment) && findCondition(deployment.status?.conditions, 'Progressing') === undefined;
  if (!revisionChanged && !needsCondition) return undefined;
  const status = needsCondition
    ? withStatusCondition(deployment, { type: 'Progressing', status: 'True', ...found }, nowMs)
    : deployment.status;
  const why = { reason: 'RevisionChanged', facts: { revision } };
  return { steps: [{ actions: [statusAction(deployment, status, why, annotations)] }] };
}

/** Makes the new ReplicaSet, at the size the rollout allows now. */
export function createNewReplicaSet(rollout: Rollout, nowMs: number): Plan {
  const { deployment } = rollout;
  const wanted = wantedReplicaSet(rollout);
  const size = wanted.spec?.replicas ?? 0;
  const name = wanted.metadata?.name ?? '';
  return {
    steps: [
      {
        actions: [
          {
            verb: 'create',
            resource: replicaSets,
            namespace: deployment.metadata?.namespace ?? '',
            object: wanted,
            reason: 'NewTemplate',
            facts: { replicas: size, revision: wanted.metadata?.annotations?.[revisionAnnotation] ?? '' },
            announce: (outcome) =>
              outcome.status === 'done' && size > 0
                ? [event(deployment, 'Normal', 'ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${size}`)]
                : [],
          },
        ],
      },
    ],
    next: (outcomes, later) => afterCreate(rollout, wanted, outcomes[0], later ?? nowMs),
  };
}

function wantedReplicaSet({ deployment, oldReplicaSets }: Rollout): ReplicaSet {
  const template = deployment.spec?.template ?? ({} as PodTemplateSpec);
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [templateHashLabel]: hash };
  const base = (deployment.metadata?.name ?? '').slice(0, nameLengthMax - hash.length - 1);
  const desired = desiredReplicas(deployment);
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${base}-${hash}`,
      namespace: deployment.metadata?.namespace ?? '',
      labels,
      annotations: {
        ...copiedAnnotations(deployment),
        [revisionAnnotation]: String(nextRevision(oldReplicaSets)),
        ...replicasAnnotations(desired, desired + maxSurge(deployment)),
      },
      ownerReferences: [controllerReference(deployment, deployments)],
    },
    spec: {
      replicas: newReplicaSetSize(deployment, oldReplicaSets, 0),
      ...(deployment.spec?.minReadySeconds === undefined ? {} : { minReadySeconds: deployment.spec.minReadySeconds }),
      selector: {
        ...deployment.spec?.selector,
        matchLabels: { ...deployment.spec?.selector?.matchLabels, [templateHashLabel]: hash },
      },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  } as ReplicaSet;
}

function afterCreate(rollout: Rollout, wanted: ReplicaSet, outcome: Outcome | undefined, nowMs: number): Plan {
  const { deployment } = rollout;
  const name = wanted.metadata?.name ?? '';
  if (outcome?.status === 'done') {
    const created = (outcome.object as ReplicaSet | undefined) ?? wanted;
    const found = { reason: 'NewReplicaSetCreated', message: `Created new replica set "${name}"` };
    const revision = created.metadata?.annotations?.[revisionAnnotation] ?? '';
    const status = hasDeadline(deployment)
      ? withStatusCondition(deployment, { type: 'Progressing', status: 'True', ...found }, nowMs)
      : deployment.status;
    const annotations = { ...deployment.metadata?.annotations, [revisionAnnotation]: revision };
    return {
      steps: [
        {
          actions: [
            statusAction(deployment, status, { reason: 'NewReplicaSetCreated', facts: { revision } }, annotations),
          ],
        },
      ],
    };
  }
  if (outcome?.status !== 'failed' || isNamespaceTerminating(outcome.error)) return { steps: [] };
  if (isApiError(outcome.error, 'AlreadyExists')) return afterCollision(deployment, wanted);
  const message = `Failed to create new replica set "${name}": ${outcome.error.message}`;
  const failed: NewCondition = { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message };
  const announcement = event(deployment, 'Warning', 'ReplicaSetCreateError', message);
  if (!hasDeadline(deployment)) return { steps: [{ actions: [announcement] }] };
  const status = withStatusCondition(deployment, failed, nowMs);
  return {
    steps: [
      {
        mode: 'parallel',
        actions: [statusAction(deployment, status, { reason: failed.reason, facts: {} }), announcement],
      },
    ],
  };
}

// The name is taken. By our own set of the same template: the cache lagged, the retry will see it. By anything else: the
// hash collided, and counting the collision gives the next attempt another name (case B22).
function afterCollision(deployment: Deployment, wanted: ReplicaSet): Plan {
  return {
    steps: [
      {
        actions: [
          {
            verb: 'get',
            resource: replicaSets,
            namespace: deployment.metadata?.namespace ?? '',
            name: wanted.metadata?.name ?? '',
            tolerates: ['NotFound'],
            reason: 'NameTaken',
            facts: {},
          },
        ],
      },
    ],
    next: ([outcome]) => {
      const existing = outcome?.status === 'done' ? (outcome.object as ReplicaSet | undefined) : undefined;
      if (existing === undefined) return { steps: [] };
      const ours = controllerOf(existing)?.uid === deployment.metadata?.uid;
      if (ours && sameTemplate(existing.spec?.template, deployment.spec?.template)) return { steps: [] };
      const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
      const status: DeploymentStatus = { ...deployment.status, collisionCount };
      return {
        steps: [
          { actions: [statusAction(deployment, status, { reason: 'HashCollision', facts: { collisionCount } })] },
        ],
      };
    },
  };
}

function withStatusCondition(deployment: Deployment, condition: NewCondition, nowMs: number): DeploymentStatus {
  return { ...deployment.status, conditions: setCondition(deployment.status?.conditions ?? [], condition, nowMs) };
}
