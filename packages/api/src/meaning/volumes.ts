// Which volume a claim has or may have (spec/infrastructure.md §19.4): used by the scheduler, which looks for volumes a node can reach, and
// by who binds claims. Follows `k8s.io/component-helpers/storage/volume`. Pure.

import type { Node, PersistentVolume, PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import { compareQuantity, type LabelSelector, labelSelectorAsSelector } from '@homeostat/machinery';
import { matchesNodeSelector } from './node-affinity.ts';

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const bindCompletedAnnotation = 'pv.kubernetes.io/bind-completed';

/** The storage class of a claim or volume: the old annotation wins; empty: none. */
export function storageClassNameOf(object: PersistentVolume | PersistentVolumeClaim): string {
  return object.metadata?.annotations?.[classAnnotation] ?? object.spec?.storageClassName ?? '';
}

/** Whether the claim has its volume, and both sides know. */
export function isClaimBound(claim: PersistentVolumeClaim): boolean {
  const { annotations = {} } = claim.metadata ?? {};
  return (claim.spec?.volumeName ?? '') !== '' && Object.hasOwn(annotations, bindCompletedAnnotation);
}

/** Whether the volume names the claim; a claim recreated under its name doesn't count. */
export function isVolumeBoundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const reference = volume.spec?.claimRef;
  if (reference === undefined) return false;
  if (reference.name !== claim.metadata?.name || reference.namespace !== claim.metadata?.namespace) return false;
  return (reference.uid ?? '') === '' || reference.uid === claim.metadata?.uid;
}

/** Whether pods on the node can use the volume. */
export function canNodeReachVolume(volume: PersistentVolume, node: Node): boolean {
  const required = volume.spec?.nodeAffinity?.required;
  return required === undefined || matchesNodeSelector(required, node);
}

export interface FindVolumeOptions {
  /** Only volumes this node can reach; the scheduler's case, in which volumes may be bound that wait for a consumer. */
  readonly node?: Node;
  /** Names of volumes that are taken already. */
  readonly excluded?: ReadonlySet<string>;
  /** The claim waits for a pod: without a node only volumes that name it come into question. */
  readonly waitsForConsumer?: boolean;
}

/** The volume that names the claim, or else the smallest that is large enough and suits it. */
export function findMatchingVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  { node, excluded, waitsForConsumer = false }: FindVolumeOptions = {},
): PersistentVolume | undefined {
  const spec = claim.spec ?? {};
  const selector = spec.selector === undefined ? undefined : labelSelectorAsSelector(spec.selector);
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (excluded?.has(volume.metadata?.name ?? '') === true || !couldHold(volume, claim)) continue;
    const reachable = node === undefined || canNodeReachVolume(volume, node);
    // A volume that names the claim is its volume, on this node or on none.
    if (isVolumeBoundTo(volume, claim)) return reachable ? volume : undefined;
    if (!reachable || (node === undefined && waitsForConsumer) || !suits(volume, claim, selector)) continue;
    if (node !== undefined && !hasAccessModes(volume, claim)) continue;
    if (smallest === undefined || compareQuantity(sizeOf(smallest), sizeOf(volume)) > 0) smallest = volume;
  }
  return smallest;
}

/** What even a volume that names the claim must fulfil. */
function couldHold(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (volume.spec?.claimRef !== undefined && !isVolumeBoundTo(volume, claim)) return false;
  if (volume.metadata?.deletionTimestamp !== undefined) return false;
  if (compareQuantity(sizeOf(volume), claim.spec?.resources?.requests?.['storage'] ?? '0') < 0) return false;
  if ((volume.spec?.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) return false;
  return (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '');
}

function suits(volume: PersistentVolume, claim: PersistentVolumeClaim, selector: LabelSelector | undefined): boolean {
  if (volume.status?.phase !== 'Available') return false;
  if (storageClassNameOf(volume) !== storageClassNameOf(claim)) return false;
  return selector === undefined || selector.matches(volume.metadata?.labels);
}

/** Whether the volume offers every access mode the claim asks for. */
export function hasAccessModes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const offered = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode));
}

function sizeOf(volume: PersistentVolume): string {
  return volume.spec?.capacity?.['storage'] ?? '0';
}
