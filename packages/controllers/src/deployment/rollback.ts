// The old in-cluster rollback by annotation (spec/workloads.md §4.14). `kubectl rollout undo` does not use it. Pure.

import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import { deployments } from '@homeostat/client/resources';
import type { Action, Plan } from '@homeostat/runtime';
import { event } from '../shared/pod-control.ts';
import { isKeptOnDeployment, revisionOf, rollbackAnnotation } from './annotations.ts';
import { sameTemplate, withoutHash } from './new-replica-set.ts';
import { allReplicaSets, type Rollout } from './status.ts';

/** The revision asked for; undefined when no rollback is wanted. */
export function rollbackRevision(deployment: Deployment): bigint | undefined {
  const text = deployment.metadata?.annotations?.[rollbackAnnotation];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** Rolls back to the revision (0 = the one before the last) and takes the annotation away. */
export function rollbackPlan(rollout: Rollout, wanted: bigint): Plan {
  const { deployment } = rollout;
  const all = allReplicaSets(rollout);
  const revision = wanted === 0n ? lastRevision(all) : wanted;
  if (revision === 0n) {
    return finish(
      deployment,
      undefined,
      event(deployment, 'Warning', 'DeploymentRollbackRevisionNotFound', 'Unable to find last revision.'),
    );
  }
  const target = all.find((replicaSet) => revisionOf(replicaSet) === revision);
  if (target === undefined) {
    const text = 'Unable to find the revision to rollback to.';
    return finish(deployment, undefined, event(deployment, 'Warning', 'DeploymentRollbackRevisionNotFound', text));
  }
  const name = deployment.metadata?.name ?? '';
  if (sameTemplate(target.spec?.template, deployment.spec?.template)) {
    const text = `The rollback revision contains the same template as current deployment "${name}"`;
    return finish(deployment, undefined, event(deployment, 'Warning', 'DeploymentRollbackTemplateUnchanged', text));
  }
  const text = `Rolled back deployment "${name}" to revision ${revision}`;
  return finish(deployment, target, event(deployment, 'Normal', 'DeploymentRollback', text));
}

function lastRevision(all: readonly ReplicaSet[]): bigint {
  const revisions = all
    .map((replicaSet) => revisionOf(replicaSet) ?? 0n)
    .toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0));
  return revisions[1] ?? 0n;
}

function finish(deployment: Deployment, target: ReplicaSet | undefined, announcement: Action): Plan {
  const own = Object.entries(deployment.metadata?.annotations ?? {}).filter(([key]) => key !== rollbackAnnotation);
  const annotations =
    target === undefined
      ? Object.fromEntries(own)
      : {
          ...Object.fromEntries(own.filter(([key]) => isKeptOnDeployment(key))),
          ...Object.fromEntries(
            Object.entries(target.metadata?.annotations ?? {}).filter(([key]) => !isKeptOnDeployment(key)),
          ),
        };
  const template = target === undefined ? deployment.spec?.template : withoutHash(target.spec?.template);
  const object = {
    ...deployment,
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...deployment.metadata, annotations },
    spec: { ...deployment.spec, template },
  } as Deployment;
  return {
    steps: [
      {
        actions: [
          {
            verb: 'update',
            resource: deployments,
            namespace: deployment.metadata?.namespace ?? '',
            name: deployment.metadata?.name ?? '',
            object,
            reason: 'Rollback',
            facts: { found: target !== undefined },
          },
          announcement,
        ],
      },
    ],
  };
}
