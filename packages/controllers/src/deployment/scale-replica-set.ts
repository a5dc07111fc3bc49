// Setting the size of one ReplicaSet of a Deployment, with the annotations that go with it. Pure.

import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';
import { replicaSets } from '@homeostat/client/resources';
import type { UpdateAction } from '@homeostat/runtime';
import { event } from '../shared/pod-control.ts';
import { replicasAnnotations } from './annotations.ts';
import { desiredReplicas, maxSurge, specReplicas } from './numbers.ts';

export interface ScaleOptions {
  /** Write even when the size is right, to refresh the annotations. */
  readonly force?: boolean;
}

/** The write that sets a ReplicaSet to `size`; nothing when it has that size already. */
export function scaleReplicaSet(
  deployment: Deployment,
  replicaSet: ReplicaSet,
  size: number,
  options: ScaleOptions = {},
): readonly UpdateAction[] {
  const current = specReplicas(replicaSet);
  const wanted = replicasAnnotations(desiredReplicas(deployment), desiredReplicas(deployment) + maxSurge(deployment));
  const present = replicaSet.metadata?.annotations ?? {};
  const annotationsDiffer = Object.entries(wanted).some(([key, value]) => present[key] !== value);
  if (current === size && !(options.force === true && annotationsDiffer)) return [];
  const name = replicaSet.metadata?.name ?? '';
  const direction = size > current ? 'up' : 'down';
  return [
    {
      verb: 'update',
      resource: replicaSets,
      namespace: replicaSet.metadata?.namespace ?? '',
      name,
      object: {
        ...replicaSet,
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { ...replicaSet.metadata, annotations: { ...present, ...wanted } },
        spec: { ...replicaSet.spec, replicas: size },
      } as ReplicaSet,
      reason: current === size ? 'RefreshReplicaAnnotations' : size > current ? 'ScaleUp' : 'ScaleDown',
      facts: { from: current, to: size },
      announce: (outcome) =>
        outcome.status === 'done' && size !== current
          ? [
              event(
                deployment,
                'Normal',
                'ScalingReplicaSet',
                `Scaled ${direction} replica set ${name} from ${current} to ${size}`,
              ),
            ]
          : [],
    },
  ];
}
