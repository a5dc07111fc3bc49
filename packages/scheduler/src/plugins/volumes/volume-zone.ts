// A volume that says its zone or region by label can only be used there (spec/scheduler.md §11.9).

import type { PersistentVolume, PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import type { StorageClass } from '@homeostat/api/types/storage-v1';
import { storageClassNameOf } from '@homeostat/api';
import { persistentVolumeClaims, persistentVolumes, storageClasses } from '@homeostat/client/resources';
import { deepEqual } from '@homeostat/machinery';
import { actions, onNode, onResource } from '../../framework/cluster-event.ts';
import { stateKey } from '../../framework/cycle-state.ts';
import type { Plugin, PluginHandle } from '../../framework/plugin.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import { pluginNames } from '../names.ts';
import { notFoundText, usesClaim } from './pod-claims.ts';

const name = pluginNames.volumeZone;
const refused = Status.unresolvable(name, 'node(s) had no available volume zone');

/** Old keys and what they are called now. */
const currentKeys: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
};
const topologyKeys = [...Object.keys(currentKeys), ...Object.values(currentKeys)];

interface Domain {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

const domains = stateKey<readonly Domain[]>('PreFilterVolumeZone');

export function createVolumeZone(handle: PluginHandle): Plugin {
  const { informers } = handle;
  const claims = informers.lister(persistentVolumeClaims);
  const volumes = informers.lister(persistentVolumes);
  const classes = informers.lister(storageClasses);

  /** The domains of the pod's volumes, or why they can't be known. */
  const domainsOf = (pod: PodInfo): readonly Domain[] | string => {
    const found: Domain[] = [];
    for (const claimName of pod.claimNames) {
      if (claimName === '') return 'PersistentVolumeClaim had no name';
      const claim = claims.get(pod.namespace, claimName);
      if (claim === undefined) return notFoundText('persistentvolumeclaim', claimName);
      const volumeName = claim.spec?.volumeName ?? '';
      if (volumeName === '') {
        const problem = problemOfUnbound(claim);
        if (problem !== undefined) return problem;
        continue;
      }
      const volume = volumes.get(undefined, volumeName);
      if (volume === undefined) return notFoundText('persistentvolume', volumeName);
      found.push(...domainsOfVolume(volume));
    }
    return found;
  };

  /** A claim without a volume is fine when the scheduler is to choose one. */
  const problemOfUnbound = (claim: PersistentVolumeClaim): string | undefined => {
    const className = storageClassNameOf(claim);
    if (className === '') return 'PersistentVolumeClaim had no pv name and storageClass name';
    const storageClass = classes.get(undefined, className);
    if (storageClass === undefined) return notFoundText('storageclass.storage.k8s.io', className);
    const mode = storageClass.volumeBindingMode;
    if (mode === undefined) return `VolumeBindingMode not set for StorageClass "${className}"`;
    return mode === 'WaitForFirstConsumer' ? undefined : 'PersistentVolume had no name';
  };

  return {
    name,
    events: [
      onResource<StorageClass>('storage.k8s.io/StorageClass', actions.add, (_pod, _old, now) =>
        now?.volumeBindingMode === 'WaitForFirstConsumer' ? 'Queue' : 'Skip',
      ),
      onNode(actions.add | actions.updateNodeLabel),
      onResource<PersistentVolumeClaim>('PersistentVolumeClaim', actions.add | actions.update, (pod, _old, now) =>
        now !== undefined && usesClaim(pod, now) ? 'Queue' : 'Skip',
      ),
      onResource<PersistentVolume>('PersistentVolume', actions.add | actions.update, (_pod, old, now) => {
        const changed = old === undefined || now === undefined || !deepEqual(zoneLabels(old), zoneLabels(now));
        return changed ? 'Queue' : 'Skip';
      }),
    ],
    preFilter: (state, pod) => {
      const found = domainsOf(pod);
      if (typeof found === 'string') return { verdict: Status.unresolvable(name, found) };
      if (found.length === 0) return { verdict: Status.skip };
      state.write(domains, found);
      return { verdict: undefined };
    },
    filter: (state, _pod, { labels }) => {
      // A cluster without zones does not say where its nodes are.
      if (!topologyKeys.some((key) => labels[key] !== undefined)) return undefined;
      for (const { key, values } of state.read(domains) ?? []) {
        const value = labels[key] ?? labels[currentKeys[key] ?? ''];
        if (value === undefined || !values.has(value)) return refused;
      }
      return undefined;
    },
  };
}

function domainsOfVolume(volume: PersistentVolume): readonly Domain[] {
  return zoneLabels(volume).map(([key, value]) => ({ key, values: new Set(value.split('__')) }));
}

function zoneLabels({ metadata }: PersistentVolume): readonly (readonly [string, string])[] {
  return topologyKeys.flatMap((key) => {
    const value = metadata?.labels?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
}
