// Disks that only one pod, or one writer, can have (spec/scheduler.md §11.8).

import type { Pod, Volume } from '@homeostat/api/types/core-v1';
import { actions, onNode, onPod, onResource } from '../../framework/cluster-event.ts';
import { type Cloneable, stateKey } from '../../framework/cycle-state.ts';
import type { Plugin, PluginHandle } from '../../framework/plugin.ts';
import { type PodInfo, podInfoOf } from '../../framework/pod-info.ts';
import { Status } from '../../framework/status.ts';
import type { PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import { persistentVolumeClaims } from '@homeostat/client/resources';
import { pluginNames } from '../names.ts';
import { notFoundText } from './pod-claims.ts';

const name = pluginNames.volumeRestrictions;
const noDisk = Status.unschedulable(name, 'node(s) had no available disk');
const inUse = Status.unschedulable(
  name,
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);
const exclusiveClaims = stateKey<ExclusiveClaims>('PreFilterVolumeRestrictions');

/** Claims of the pod that only one pod may use, and how many uses by others are in the way. */
class ExclusiveClaims implements Cloneable {
  readonly names: ReadonlySet<string>;
  conflicts: number;

  constructor(names: ReadonlySet<string>, conflicts: number) {
    this.names = names;
    this.conflicts = conflicts;
  }

  clone(): ExclusiveClaims {
    return new ExclusiveClaims(this.names, this.conflicts);
  }

  change(pod: PodInfo, other: PodInfo, by: 1 | -1): void {
    if (other.namespace !== pod.namespace) return;
    for (const claim of other.claimNames) if (this.names.has(claim)) this.conflicts += by;
  }
}

export function createVolumeRestrictions(handle: PluginHandle): Plugin {
  const claims = handle.informers.lister(persistentVolumeClaims);
  return {
    name,
    events: [
      onPod(actions.delete, (pod, old) => {
        if (old === undefined || old.metadata?.namespace !== pod.namespace) return 'Skip';
        const gone = podInfoOf(old);
        const sharesClaim = gone.claimNames.some((claim) => pod.claimNames.includes(claim));
        return sharesClaim || hasConflict(pod.pod, [gone]) ? 'Queue' : 'Skip';
      }),
      onNode(actions.add),
      onResource<PersistentVolumeClaim>('PersistentVolumeClaim', actions.add, (pod, _old, now) =>
        now?.metadata?.namespace === pod.namespace && pod.claimNames.includes(now.metadata.name ?? '')
          ? 'Queue'
          : 'Skip',
      ),
    ],
    preFilter: (state, pod) => {
      const exclusive = new Set<string>();
      for (const claimName of pod.claimNames) {
        const claim = claims.get(pod.namespace, claimName);
        if (claim === undefined)
          return { verdict: Status.unresolvable(name, notFoundText('persistentvolumeclaim', claimName)) };
        if ((claim.spec?.accessModes ?? []).includes('ReadWriteOncePod')) exclusive.add(claimName);
      }
      let conflicts = 0;
      for (const claimName of exclusive) if (handle.snapshot.isClaimUsed(`${pod.namespace}/${claimName}`)) conflicts++;
      if (conflicts === 0 && !(pod.pod.spec?.volumes ?? []).some(isExclusiveDisk)) return { verdict: Status.skip };
      state.write(exclusiveClaims, new ExclusiveClaims(exclusive, conflicts));
      return { verdict: undefined };
    },
    preFilterExtensions: {
      addPod: (state, pod, change) => {
        state.read(exclusiveClaims)?.change(pod, change.pod, 1);
        return undefined;
      },
      removePod: (state, pod, change) => {
        state.read(exclusiveClaims)?.change(pod, change.pod, -1);
        return undefined;
      },
    },
    filter: (state, { pod }, { pods }) => {
      if (hasConflict(pod, pods)) return noDisk;
      return (state.read(exclusiveClaims)?.conflicts ?? 0) > 0 ? inUse : undefined;
    },
  };
}

function isExclusiveDisk(volume: Volume): boolean {
  return (
    volume.gcePersistentDisk !== undefined ||
    volume.awsElasticBlockStore !== undefined ||
    volume.rbd !== undefined ||
    volume.iscsi !== undefined
  );
}

function hasConflict(pod: Pod, others: readonly PodInfo[]): boolean {
  const disks = (pod.spec?.volumes ?? []).filter(isExclusiveDisk);
  if (disks.length === 0) return false;
  return others.some((other) =>
    (other.pod.spec?.volumes ?? []).some((theirs) => disks.some((ours) => conflict(ours, theirs))),
  );
}

/** Whether two volumes are the same disk and one of the pods would write. */
function conflict(a: Volume, b: Volume): boolean {
  const writes = (x: { readonly readOnly?: boolean }, y: { readonly readOnly?: boolean }): boolean =>
    !(x.readOnly === true && y.readOnly === true);
  if (a.gcePersistentDisk !== undefined && b.gcePersistentDisk !== undefined) {
    const [x, y] = [a.gcePersistentDisk, b.gcePersistentDisk];
    if (x.pdName === y.pdName && writes(x, y)) return true;
  }
  if (a.awsElasticBlockStore !== undefined && a.awsElasticBlockStore.volumeID === b.awsElasticBlockStore?.volumeID)
    return true;
  if (a.iscsi !== undefined && b.iscsi !== undefined && a.iscsi.iqn === b.iscsi.iqn && writes(a.iscsi, b.iscsi))
    return true;
  if (a.rbd === undefined || b.rbd === undefined) return false;
  const [x, y] = [a.rbd, b.rbd];
  const sameImage =
    x.pool === y.pool && x.image === y.image && x.monitors.some((monitor) => y.monitors.includes(monitor));
  return sameImage && writes(x, y);
}
