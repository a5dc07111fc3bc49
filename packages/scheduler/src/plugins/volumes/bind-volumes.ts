// Carries out what was decided about a pod's volumes, and waits until they are bound (spec/scheduler.md §11.9). What has been written is not
// taken back when something later fails.

import type { Node, PersistentVolume, PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import { canNodeReachVolume, isClaimBound } from '@homeostat/api';
import { type Client, isNewerResourceVersion } from '@homeostat/client';
import { persistentVolumeClaims, persistentVolumes } from '@homeostat/client/resources';
import type { PodInfo } from '../../framework/pod-info.ts';
import type { AssumedObjects } from './assumed-objects.ts';
import { selectedNodeAnnotation, type PodVolumes } from './find-volumes.ts';

export interface BindVolumesOptions {
  readonly client: Client;
  readonly volumes: AssumedObjects<PersistentVolume>;
  readonly claims: AssumedObjects<PersistentVolumeClaim>;
  node(name: string): Node | undefined;
  podExists(pod: PodInfo): boolean;
}

/** What has been written. */
export interface WrittenVolumes {
  readonly bindings: readonly { readonly volume: PersistentVolume; readonly claim: PersistentVolumeClaim }[];
  readonly provisions: readonly PersistentVolumeClaim[];
}

/** Tells the API server of the decision. @throws what it refused; decisions not written yet are taken back then */
export async function writeVolumes(
  options: BindVolumesOptions,
  decided: PodVolumes,
  signal: AbortSignal,
): Promise<WrittenVolumes> {
  const { client, volumes, claims } = options;
  const bindings: WrittenVolumes['bindings'][number][] = [];
  const provisions: PersistentVolumeClaim[] = [];
  try {
    for (const { volume, claim } of decided.bindings)
      bindings.push({ volume: await client.update(persistentVolumes, { object: volume, signal }), claim });
    for (const claim of decided.provisions)
      provisions.push(await client.update(persistentVolumeClaims, { object: claim, signal }));
  } catch (error) {
    for (const { volume } of decided.bindings.slice(bindings.length)) volumes.restore(volume);
    for (const claim of decided.provisions.slice(provisions.length)) claims.restore(claim);
    throw error;
  }
  return { bindings, provisions };
}

/** Whether all is bound. @throws Error when it never will be */
export function areVolumesBound(options: BindVolumesOptions, pod: PodInfo, written: WrittenVolumes): boolean {
  const node = options.node(pod.nodeName);
  if (node === undefined) throw new Error(`failed to get node "${pod.nodeName}": node "${pod.nodeName}" not found`);
  if (!options.podExists(pod)) throw new Error(`pod does not exist any more: pod "${pod.name}" not found`);
  for (const { volume, claim } of written.bindings) {
    const live = mustGet(options.volumes, volume, 'failed to check binding: persistentvolume');
    const liveClaim = mustGet(options.claims, claim, 'failed to check binding: persistentvolumeclaim');
    if (isOlder(live, volume)) return false;
    checkReach(live, node);
    if ((live.spec?.claimRef?.uid ?? '') === '')
      throw new Error(`ClaimRef got reset for pv "${live.metadata?.name ?? ''}"`);
    if (!isClaimBound(liveClaim)) return false;
  }
  for (const claim of written.provisions) {
    const live = mustGet(options.claims, claim, 'failed to check provisioning pvc: persistentvolumeclaim');
    if (isOlder(live, claim)) return false;
    const name = live.metadata?.name ?? '';
    if (live.metadata?.annotations === undefined) throw new Error(`selectedNode annotation reset for PVC "${name}"`);
    // The provisioner takes the annotation away when it failed, to ask for another node.
    if (live.metadata.annotations[selectedNodeAnnotation] !== pod.nodeName)
      throw new Error(`provisioning failed for PVC "${name}"`);
    const volumeName = live.spec?.volumeName ?? '';
    if (volumeName !== '') {
      const volume = options.volumes.getLive(undefined, volumeName);
      if (volume === undefined) return false;
      checkReach(volume, node);
    }
    if (!isClaimBound(live)) return false;
  }
  return true;
}

function mustGet<T extends PersistentVolume | PersistentVolumeClaim>(
  objects: AssumedObjects<T>,
  object: T,
  doing: string,
): T {
  const { namespace, name = '' } = object.metadata ?? {};
  const live = objects.getLive(namespace, name);
  if (live === undefined) throw new Error(`${doing} "${name}" not found`);
  return live;
}

function isOlder(
  live: PersistentVolume | PersistentVolumeClaim,
  written: PersistentVolume | PersistentVolumeClaim,
): boolean {
  return isNewerResourceVersion(written.metadata?.resourceVersion ?? '', live.metadata?.resourceVersion ?? '');
}

function checkReach(volume: PersistentVolume, node: Node): void {
  if (canNodeReachVolume(volume, node)) return;
  const [volumeName, nodeName] = [volume.metadata?.name ?? '', node.metadata?.name ?? ''];
  throw new Error(`pv "${volumeName}" node affinity doesn't match node "${nodeName}": no matching NodeSelectorTerms`);
}
