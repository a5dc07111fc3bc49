// The claims a pod's volumes stand for: named ones, and those made for ephemeral volumes of the pod.

import type { PersistentVolumeClaim, Volume } from '@homeostat/api/types/core-v1';
import { controllerOf } from '@homeostat/runtime';
import type { PodInfo } from '../../framework/pod-info.ts';

export interface PodClaim {
  readonly name: string;
  /** Made for this pod alone, by the controller of ephemeral volumes. */
  readonly ephemeral: boolean;
}

/** In the order of the volumes. */
export function claimsOf({ pod, name }: PodInfo): readonly PodClaim[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => claimOf(volume, name));
}

function claimOf({ name, persistentVolumeClaim, ephemeral }: Volume, podName: string): readonly PodClaim[] {
  if (persistentVolumeClaim !== undefined) return [{ name: persistentVolumeClaim.claimName, ephemeral: false }];
  return ephemeral === undefined ? [] : [{ name: `${podName}-${name}`, ephemeral: true }];
}

/** Whether the pod uses the claim. */
export function usesClaim(pod: PodInfo, claim: PersistentVolumeClaim): boolean {
  const { namespace, name = '' } = claim.metadata ?? {};
  return namespace === pod.namespace && claimsOf(pod).some((used) => used.name === name);
}

/** Why the claim of an ephemeral volume is not the pod's; undefined when it is. */
export function ownershipProblem(pod: PodInfo, claim: PersistentVolumeClaim): string | undefined {
  const { namespace, name = '' } = claim.metadata ?? {};
  if (namespace === pod.namespace && controllerOf(claim)?.uid === pod.uid) return undefined;
  return `PVC ${namespace ?? ''}/${name} was not created for pod ${pod.key} (pod is not owner)`;
}

/** How a lister says that there is no such object. */
export function notFoundText(resource: string, name: string): string {
  return `${resource} "${name}" not found`;
}
