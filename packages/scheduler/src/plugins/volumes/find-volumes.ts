// Whether a node can have the volumes of a pod: bound ones within reach, unbound ones matched or to be provisioned
// (spec/scheduler.md §11.9). Reads caches, changes nothing.

import type { Node, PersistentVolume, PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import type { CSIStorageCapacity, StorageClass } from '@homeostat/api/types/storage-v1';
import { canNodeReachVolume, findMatchingVolume, storageClassNameOf } from '@homeostat/api';
import { compareQuantity } from '@homeostat/machinery';
import { parseSelector } from '../../framework/affinity-term.ts';

export const selectedNodeAnnotation = 'volume.kubernetes.io/selected-node';

/** A pod's claims, sorted by what is to be done. */
export interface PodVolumeClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** The scheduler chooses a volume, or the node one is made for. */
  readonly delayed: readonly PersistentVolumeClaim[];
}

/** What is to be done for a pod on one node. */
export interface PodVolumes {
  readonly bindings: readonly { readonly volume: PersistentVolume; readonly claim: PersistentVolumeClaim }[];
  readonly provisions: readonly PersistentVolumeClaim[];
}

export interface VolumeSources {
  volume(name: string): PersistentVolume | undefined;
  volumesOfClass(className: string): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
  /** Whether the driver of a provisioner says how much room it has. */
  publishesCapacity(provisioner: string): boolean;
  capacities(): readonly CSIStorageCapacity[];
}

export type FoundVolumes =
  { readonly volumes: PodVolumes } | { readonly reasons: readonly string[] } | { readonly error: string };

const unreachable = "node(s) didn't match PersistentVolume's node affinity";
const noVolumes = "node(s) didn't find available persistent volumes to bind";
const noSpace = 'node(s) did not have enough free storage';
const volumeGone = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
const noProvisioner = 'kubernetes.io/no-provisioner';

/** What to do for the pod on the node, or why it can't be there. */
export function findPodVolumes({ bound, delayed }: PodVolumeClaims, node: Node, sources: VolumeSources): FoundVolumes {
  const reachability = checkBound(bound, node, sources);
  const matched = matchDelayed(delayed, node, sources);
  if ('error' in matched) return matched;
  const problems = new Set([reachability, 'reasons' in matched ? matched.reasons[0] : undefined]);
  const reasons = [unreachable, noVolumes, noSpace, volumeGone].filter((reason) => problems.has(reason));
  return reasons.length > 0 ? { reasons } : matched;
}

function checkBound(bound: readonly PersistentVolumeClaim[], node: Node, sources: VolumeSources): string | undefined {
  for (const { spec } of bound) {
    const volume = sources.volume(spec?.volumeName ?? '');
    if (volume === undefined) return volumeGone;
    if (!canNodeReachVolume(volume, node)) return unreachable;
  }
  return undefined;
}

function matchDelayed(delayed: readonly PersistentVolumeClaim[], node: Node, sources: VolumeSources): FoundVolumes {
  const toProvision: PersistentVolumeClaim[] = [];
  const toMatch: PersistentVolumeClaim[] = [];
  for (const claim of delayed) {
    const selected = claim.metadata?.annotations?.[selectedNodeAnnotation];
    if (selected === undefined) toMatch.push(claim);
    else if (selected === node.metadata?.name) toProvision.push(claim);
    else return { reasons: [noVolumes] };
  }
  const bindings: { readonly volume: PersistentVolume; readonly claim: PersistentVolumeClaim }[] = [];
  const excluded = new Set<string>();
  // Small claims first, so that they don't take what large ones need.
  for (const claim of toMatch.sort((a, b) => compareQuantity(sizeOf(a), sizeOf(b)))) {
    const volume = findMatchingVolume(claim, sources.volumesOfClass(storageClassNameOf(claim)), { node, excluded });
    if (volume === undefined) {
      toProvision.push(claim);
      continue;
    }
    excluded.add(volume.metadata?.name ?? '');
    bindings.push({ volume, claim });
  }
  for (const claim of toProvision) {
    const problem = checkProvision(claim, node, sources);
    if (problem !== undefined) return problem;
  }
  return { volumes: { bindings, provisions: toProvision } };
}

function checkProvision(claim: PersistentVolumeClaim, node: Node, sources: VolumeSources): FoundVolumes | undefined {
  const className = storageClassNameOf(claim);
  const key = `${claim.metadata?.namespace ?? ''}/${claim.metadata?.name ?? ''}`;
  if (className === '') return { error: `no class for claim "${key}"` };
  const storageClass = sources.storageClass(className);
  if (storageClass === undefined) return { error: `failed to find storage class "${className}"` };
  const { provisioner } = storageClass;
  if (provisioner === '' || provisioner === noProvisioner || !isAllowed(storageClass, node))
    return { reasons: [noVolumes] };
  return hasRoom(claim, node, { className, provisioner, sources }) ? undefined : { reasons: [noSpace] };
}

function isAllowed({ allowedTopologies = [] }: StorageClass, node: Node): boolean {
  if (allowedTopologies.length === 0) return true;
  const labels = node.metadata?.labels ?? {};
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? '')),
  );
}

interface Provisioning {
  readonly className: string;
  readonly provisioner: string;
  readonly sources: VolumeSources;
}

function hasRoom(claim: PersistentVolumeClaim, node: Node, { className, provisioner, sources }: Provisioning): boolean {
  const size = claim.spec?.resources?.requests?.['storage'];
  if (size === undefined || !sources.publishesCapacity(provisioner)) return true;
  return sources.capacities().some(({ storageClassName, maximumVolumeSize, capacity, nodeTopology }) => {
    const limit = maximumVolumeSize ?? capacity;
    if (storageClassName !== className || limit === undefined || compareQuantity(limit, size) < 0) return false;
    return nodeTopology !== undefined && parseSelector(nodeTopology).matches(node.metadata?.labels);
  });
}

function sizeOf(claim: PersistentVolumeClaim): string {
  return claim.spec?.resources?.requests?.['storage'] ?? '0';
}
