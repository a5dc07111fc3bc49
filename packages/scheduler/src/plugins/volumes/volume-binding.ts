// Pods go where their volumes are, or can be: claims that wait for a first consumer get their volume here (spec/scheduler.md §11.9).

import type { PersistentVolume, PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass } from '@homeostat/api/types/storage-v1';
import { isClaimBound, isVolumeBoundTo, storageClassNameOf } from '@homeostat/api';
import {
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
} from '@homeostat/client/resources';
import { compareQuantity, deepEqual } from '@homeostat/machinery';
import { actions, onNode, onResource } from '../../framework/cluster-event.ts';
import { stateKey } from '../../framework/cycle-state.ts';
import type { Placement, Plugin, PluginHandle } from '../../framework/plugin.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Status, type Verdict } from '../../framework/status.ts';
import { pluginNames } from '../names.ts';
import { AssumedObjects } from './assumed-objects.ts';
import { areVolumesBound, type BindVolumesOptions, writeVolumes } from './bind-volumes.ts';
import {
  findPodVolumes,
  type PodVolumeClaims,
  type PodVolumes,
  selectedNodeAnnotation,
  type VolumeSources,
} from './find-volumes.ts';
import { claimsOf, notFoundText, ownershipProblem, usesClaim } from './pod-claims.ts';

export interface VolumeBindingOptions {
  /** How long binding may take, milliseconds; default 10 minutes. */
  readonly bindTimeoutMs?: number;
}

const name = pluginNames.volumeBinding;
const pollMs = 1_000;
const boundByController = 'pv.kubernetes.io/bound-by-controller';
const migratedPlugins = 'storage.alpha.kubernetes.io/migrated-plugins';

/** What is known of a pod's volumes in this cycle. */
interface Binding {
  readonly claims: PodVolumeClaims;
  readonly byNode: Map<string, PodVolumes>;
  /** Decided at reservation; absent: there is nothing to bind. */
  reserved: PodVolumes | undefined;
}

const bindingKey = stateKey<Binding>('VolumeBinding');

export function createVolumeBinding(
  handle: PluginHandle,
  { bindTimeoutMs = 600_000 }: VolumeBindingOptions = {},
): Plugin {
  const { informers, client } = handle;
  const claims = new AssumedObjects(informers.lister(persistentVolumeClaims));
  const volumes = new AssumedObjects(informers.lister(persistentVolumes));
  const classes = informers.lister(storageClasses);
  const drivers = informers.lister(csiDrivers);
  const capacities = informers.lister(csiStorageCapacities);
  const nodeLister = informers.lister(nodes);
  informers.lister(csiNodes);

  const sources: VolumeSources = {
    volume: (volumeName) => volumes.get(undefined, volumeName),
    volumesOfClass: (className) => volumes.list().filter((volume) => storageClassNameOf(volume) === className),
    storageClass: (className) => classes.get(undefined, className),
    publishesCapacity: (provisioner) => drivers.get(undefined, provisioner)?.spec.storageCapacity === true,
    capacities: () => capacities.list(),
  };
  const bindOptions: BindVolumesOptions = {
    client,
    volumes,
    claims,
    node: (nodeName) => nodeLister.get(undefined, nodeName),
    podExists: (pod) => handle.pods.get(pod.namespace, pod.name) !== undefined,
  };

  const sortClaims = (pod: PodInfo): PodVolumeClaims | Status => {
    const bound: PersistentVolumeClaim[] = [];
    const delayed: PersistentVolumeClaim[] = [];
    let immediate = false;
    for (const { name: claimName } of claimsOf(pod)) {
      const claim = claims.get(pod.namespace, claimName);
      if (claim === undefined)
        return Status.error(name, new Error(`error getting PVC "${pod.namespace}/${claimName}"`));
      const storageClass = classes.get(undefined, storageClassNameOf(claim));
      if (isClaimBound(claim)) {
        bound.push(claim);
      } else if (storageClass !== undefined && storageClass.volumeBindingMode === undefined) {
        const text = `VolumeBindingMode not set for StorageClass "${storageClass.metadata?.name ?? ''}"`;
        return Status.error(name, new Error(text));
      } else if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && (claim.spec?.volumeName ?? '') === '') {
        delayed.push(claim);
      } else {
        immediate = true;
      }
    }
    return immediate
      ? Status.unresolvable(name, 'pod has unbound immediate PersistentVolumeClaims')
      : { bound, delayed };
  };

  const reserve = ({ pod, nodeName }: Placement, binding: Binding): void => {
    const found = binding.byNode.get(nodeName);
    const isBound = ({ name: claimName }: { readonly name: string }): boolean => {
      const claim = claims.get(pod.namespace, claimName);
      return claim !== undefined && isClaimBound(claim);
    };
    if (found === undefined || claimsOf(pod).every(isBound)) return;
    const bindings = found.bindings.map(({ volume, claim }) => ({ volume: boundTo(volume, claim), claim }));
    const provisions = found.provisions.map((claim) => withSelectedNode(claim, nodeName));
    for (const [index, { volume }] of bindings.entries())
      if (volume !== found.bindings[index]?.volume) volumes.assume(volume);
    for (const claim of provisions) claims.assume(claim);
    binding.reserved = { bindings, provisions };
  };

  const bind = async ({ pod, signal }: Placement, decided: PodVolumes): Promise<Verdict> => {
    const { clock } = handle.env;
    try {
      const written = await writeVolumes(bindOptions, decided, signal);
      for (const { volume } of written.bindings) volumes.confirm(volume);
      for (const claim of written.provisions) claims.confirm(claim);
      const endMs = clock.monotonicMs() + bindTimeoutMs;
      do {
        await clock.sleep(pollMs, signal);
        if (areVolumesBound(bindOptions, pod, written)) return undefined;
      } while (clock.monotonicMs() < endMs);
      throw new Error('context deadline exceeded');
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause);
      return Status.error(name, new Error(`binding volumes: ${text}`, { cause }));
    }
  };

  return {
    name,
    events: bindingEvents(),
    preFilter: (state, pod) => {
      if (claimsOf(pod).length === 0) return { verdict: Status.skip };
      const problem = problemOfClaims(pod, claims);
      if (problem !== undefined) return { verdict: Status.unresolvable(name, problem) };
      const sorted = sortClaims(pod);
      if (sorted instanceof Status) return { verdict: sorted };
      state.write(bindingKey, { claims: sorted, byNode: new Map(), reserved: undefined });
      return { verdict: undefined };
    },
    filter: (state, _pod, { node, name: nodeName }) => {
      const binding = state.read(bindingKey);
      if (binding === undefined || node === undefined) return undefined;
      const found = findPodVolumes(binding.claims, node, sources);
      if ('error' in found) return Status.error(name, new Error(found.error));
      if ('reasons' in found) return Status.unresolvable(name, ...found.reasons);
      binding.byNode.set(nodeName, found.volumes);
      return undefined;
    },
    reserve: (state, placement) => {
      const binding = state.read(bindingKey);
      if (binding !== undefined) reserve(placement, binding);
      return undefined;
    },
    unreserve: (state) => {
      const reserved = state.read(bindingKey)?.reserved;
      for (const { volume } of reserved?.bindings ?? []) volumes.restore(volume);
      for (const claim of reserved?.provisions ?? []) claims.restore(claim);
    },
    preBindPreFlight: (state) => (state.read(bindingKey)?.reserved === undefined ? Status.skip : undefined),
    preBind: async (state, placement) => {
      const reserved = state.read(bindingKey)?.reserved;
      return reserved === undefined ? undefined : bind(placement, reserved);
    },
  };
}

/** What is wrong with a pod's claims whatever the node; undefined when nothing is. */
function problemOfClaims(pod: PodInfo, claims: AssumedObjects<PersistentVolumeClaim>): string | undefined {
  for (const { name: claimName, ephemeral } of claimsOf(pod)) {
    const claim = claims.getLive(pod.namespace, claimName);
    if (claim === undefined) {
      return ephemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claimName}"`
        : notFoundText('persistentvolumeclaim', claimName);
    }
    if (claim.status?.phase === 'Lost')
      return `persistentvolumeclaim "${claimName}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`;
    if (claim.metadata?.deletionTimestamp !== undefined) return `persistentvolumeclaim "${claimName}" is being deleted`;
    const problem = ephemeral ? ownershipProblem(pod, claim) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The volume as it names the claim; the same object when it does already. */
function boundTo(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { namespace, name: claimName, uid, resourceVersion } = claim.metadata ?? {};
  const known = volume.spec?.claimRef;
  const named = isVolumeBoundTo(volume, claim);
  if (named && known?.uid === uid) return volume;
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    ...(namespace === undefined ? {} : { namespace }),
    ...(claimName === undefined ? {} : { name: claimName }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  // A volume its user reserved stays reserved when the claim goes.
  const annotations = named
    ? volume.metadata?.annotations
    : { ...volume.metadata?.annotations, [boundByController]: 'yes' };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(annotations === undefined ? {} : { annotations }) },
    spec: { ...volume.spec, claimRef },
  };
}

function withSelectedNode(claim: PersistentVolumeClaim, nodeName: string): PersistentVolumeClaim {
  const { metadata } = claim;
  return {
    ...claim,
    metadata: { ...metadata, annotations: { ...metadata?.annotations, [selectedNodeAnnotation]: nodeName } },
  };
}

function bindingEvents(): Plugin['events'] {
  return [
    onResource<StorageClass>('storage.k8s.io/StorageClass', actions.add | actions.update, (_pod, old, now) =>
      old === undefined || !deepEqual(old.allowedTopologies, now?.allowedTopologies) ? 'Queue' : 'Skip',
    ),
    onResource<PersistentVolumeClaim>('PersistentVolumeClaim', actions.add | actions.update, (pod, _old, now) =>
      now !== undefined && usesClaim(pod, now) ? 'Queue' : 'Skip',
    ),
    onResource<PersistentVolume>('PersistentVolume', actions.add | actions.update),
    onNode(actions.add | actions.updateNodeLabel),
    onResource<CSINode>('storage.k8s.io/CSINode', actions.add | actions.update, (_pod, old, now) => {
      const changed = old?.metadata?.annotations?.[migratedPlugins] !== now?.metadata?.annotations?.[migratedPlugins];
      return old === undefined || changed ? 'Queue' : 'Skip';
    }),
    onResource<CSIDriver>('storage.k8s.io/CSIDriver', actions.update, (pod, old, now) => {
      const released = old?.spec.storageCapacity === true && now?.spec.storageCapacity !== true;
      const uses = (pod.pod.spec?.volumes ?? []).some(({ csi }) => csi?.driver === now?.metadata?.name);
      return released && uses ? 'Queue' : 'Skip';
    }),
    onResource<CSIStorageCapacity>(
      'storage.k8s.io/CSIStorageCapacity',
      actions.add | actions.update,
      (_pod, old, now) => {
        const limitOf = (capacity: CSIStorageCapacity | undefined): string =>
          capacity?.maximumVolumeSize ?? capacity?.capacity ?? '0';
        return old === undefined || compareQuantity(limitOf(now), limitOf(old)) > 0 ? 'Queue' : 'Skip';
      },
    ),
  ];
}
