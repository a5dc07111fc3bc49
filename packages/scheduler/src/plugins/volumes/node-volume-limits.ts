// A node can have only so many volumes of a CSI driver attached (spec/scheduler.md §11.9). Volumes of drivers that used to be part of
// Kubernetes are counted only when they are CSI volumes: nothing is translated.

import type { PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import type { CSINode, VolumeAttachment } from '@homeostat/api/types/storage-v1';
import { storageClassNameOf } from '@homeostat/api';
import {
  csiNodes,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  volumeAttachments,
} from '@homeostat/client/resources';
import { actions, onPod, onResource } from '../../framework/cluster-event.ts';
import type { Plugin, PluginHandle } from '../../framework/plugin.ts';
import { type PodInfo, podInfoOf } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import { pluginNames } from '../names.ts';
import { claimsOf, notFoundText, ownershipProblem, usesClaim } from './pod-claims.ts';

const name = pluginNames.nodeVolumeLimits;
const tooMany = Status.unschedulable(name, 'node(s) exceed max volume count');
const byNode = { name: 'node', valuesOf: ({ spec }: VolumeAttachment) => [spec.nodeName] };

/** By unique name: the driver. */
type Volumes = Map<string, string>;

export function createNodeVolumeLimits(handle: PluginHandle): Plugin {
  const { informers } = handle;
  const claims = informers.lister(persistentVolumeClaims);
  const volumes = informers.lister(persistentVolumes);
  const classes = informers.lister(storageClasses);
  const nodes = informers.lister(csiNodes);
  informers.informer(volumeAttachments).addIndexes([byNode]);
  const attachments = informers.lister(volumeAttachments);

  const volumeOf = (claim: PersistentVolumeClaim): { readonly driver: string; readonly id: string } | undefined => {
    const { namespace = '', name: claimName = '' } = claim.metadata ?? {};
    const volume = volumes.get(undefined, claim.spec?.volumeName ?? '');
    if (volume !== undefined) {
      const csi = volume.spec?.csi;
      return csi === undefined ? undefined : { driver: csi.driver, id: `${csi.driver}/${csi.volumeHandle}` };
    }
    // The volume is not there yet: it will be one of the class' driver, and like no other.
    const driver = classes.get(undefined, storageClassNameOf(claim))?.provisioner ?? '';
    return driver === '' ? undefined : { driver, id: `${driver}/claim ${namespace}/${claimName}` };
  };

  /** Adds a pod's volumes. @returns the reason why they can't be known, for a pod that is not placed yet */
  const addVolumes = (found: Volumes, pod: PodInfo, isNew: boolean): string | undefined => {
    for (const { name: claimName, ephemeral } of claimsOf(pod)) {
      const claim = claims.get(pod.namespace, claimName);
      if (claim === undefined) {
        if (!isNew) continue;
        return `looking up PVC ${pod.namespace}/${claimName}: ${notFoundText('persistentvolumeclaim', claimName)}`;
      }
      const problem = ephemeral && isNew ? ownershipProblem(pod, claim) : undefined;
      if (problem !== undefined) return problem;
      const volume = volumeOf(claim);
      if (volume !== undefined) found.set(volume.id, volume.driver);
    }
    return undefined;
  };

  const addAttached = (found: Volumes, nodeName: string): void => {
    for (const { spec } of attachments.byIndex(byNode.name, nodeName)) {
      const csi = volumes.get(undefined, spec.source.persistentVolumeName ?? '')?.spec?.csi;
      if (csi !== undefined && spec.attacher !== '') found.set(`${spec.attacher}/${csi.volumeHandle}`, spec.attacher);
    }
  };

  return {
    name,
    events: [
      onResource<CSINode>('storage.k8s.io/CSINode', actions.add),
      onResource<CSINode>('storage.k8s.io/CSINode', actions.update, (_pod, old, now) =>
        hasGrown(old, now) ? 'Queue' : 'Skip',
      ),
      onPod(actions.delete, (_pod, old) => {
        if (old === undefined) return 'Skip';
        const gone = podInfoOf(old);
        const wasPlaced = gone.nodeName !== '' || gone.nominatedNodeName !== '';
        return wasPlaced && claimsOf(gone).length > 0 ? 'Queue' : 'Skip';
      }),
      onResource<PersistentVolumeClaim>('PersistentVolumeClaim', actions.add, (pod, _old, now) =>
        now !== undefined && usesClaim(pod, now) ? 'Queue' : 'Skip',
      ),
      onResource<VolumeAttachment>('storage.k8s.io/VolumeAttachment', actions.delete, (pod) =>
        claimsOf(pod).length > 0 ? 'Queue' : 'Skip',
      ),
    ],
    preFilter: (_state, pod) => ({ verdict: claimsOf(pod).length === 0 ? Status.skip : undefined }),
    filter: (_state, pod, node) => {
      const wanted: Volumes = new Map();
      const problem = addVolumes(wanted, pod, true);
      if (problem !== undefined) return Status.unresolvable(name, problem);
      const limits = limitsOf(nodes.get(undefined, node.name));
      if (wanted.size === 0 || limits.size === 0) return undefined;
      const present: Volumes = new Map();
      for (const other of node.pods) addVolumes(present, other, false);
      for (const id of present.keys()) wanted.delete(id);
      addAttached(present, node.name);
      const counts = countByDriver(wanted);
      const taken = countByDriver(present);
      for (const [driver, count] of counts) {
        const limit = limits.get(driver);
        if (limit !== undefined && (taken.get(driver) ?? 0) + count > limit) return tooMany;
      }
      return undefined;
    },
  };
}

function limitsOf(node: CSINode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name: driver, allocatable } of node?.spec.drivers ?? []) {
    if (allocatable?.count !== undefined) limits.set(driver, allocatable.count);
  }
  return limits;
}

function countByDriver(volumes: Volumes): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const driver of volumes.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  return counts;
}

function hasGrown(old: CSINode | undefined, now: CSINode | undefined): boolean {
  const before = limitsOf(old);
  for (const [driver, limit] of limitsOf(now)) if (limit > (before.get(driver) ?? 0)) return true;
  return false;
}
