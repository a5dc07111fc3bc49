// Which objects of its namespace a Pod makes its node read: Secrets, ConfigMaps, claims, its ServiceAccount.
// Also the Secrets of a PersistentVolume that the kubelet mounts with.

import type { KubeObject } from '@homeostat/machinery';

interface NameRef {
  readonly name?: string;
  readonly namespace?: string;
}

interface ContainerLike {
  readonly envFrom?: readonly { readonly secretRef?: NameRef; readonly configMapRef?: NameRef }[];
  readonly env?: readonly {
    readonly valueFrom?: { readonly secretKeyRef?: NameRef; readonly configMapKeyRef?: NameRef };
  }[];
}

interface VolumeLike {
  readonly name?: string;
  readonly azureFile?: { readonly secretName?: string };
  readonly cephfs?: { readonly secretRef?: NameRef };
  readonly cinder?: { readonly secretRef?: NameRef };
  readonly flexVolume?: { readonly secretRef?: NameRef };
  readonly rbd?: { readonly secretRef?: NameRef };
  readonly scaleIO?: { readonly secretRef?: NameRef };
  readonly iscsi?: { readonly secretRef?: NameRef };
  readonly storageos?: { readonly secretRef?: NameRef };
  readonly csi?: { readonly nodePublishSecretRef?: NameRef };
  readonly secret?: { readonly secretName?: string };
  readonly configMap?: NameRef;
  readonly projected?: { readonly sources?: readonly { readonly secret?: NameRef; readonly configMap?: NameRef }[] };
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: unknown;
}

/** The parts of a Pod that bind it to a node and to other objects. */
export interface PodLike extends KubeObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly imagePullSecrets?: readonly NameRef[];
    readonly containers?: readonly ContainerLike[];
    readonly initContainers?: readonly ContainerLike[];
    readonly ephemeralContainers?: readonly ContainerLike[];
    readonly volumes?: readonly VolumeLike[];
    readonly resourceClaims?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
  };
  readonly status?: {
    readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    readonly extendedResourceClaimStatus?: { readonly resourceClaimName?: string };
  };
}

export const mirrorPodAnnotation = 'kubernetes.io/config.mirror';

export function isMirrorPod(pod: KubeObject): boolean {
  return pod.metadata?.annotations?.[mirrorPodAnnotation] !== undefined;
}

/** Names of the Secrets a Pod refers to, without those behind its claims. */
export function podSecretNames(pod: PodLike): ReadonlySet<string> {
  const names = new Set<string | undefined>();
  for (const ref of pod.spec?.imagePullSecrets ?? []) names.add(ref.name);
  for (const container of allContainers(pod)) {
    for (const source of container.envFrom ?? []) names.add(source.secretRef?.name);
    for (const variable of container.env ?? []) names.add(variable.valueFrom?.secretKeyRef?.name);
  }
  for (const volume of pod.spec?.volumes ?? []) {
    names.add(volume.azureFile?.secretName);
    names.add(volume.secret?.secretName);
    names.add(volume.csi?.nodePublishSecretRef?.name);
    for (const source of volume.projected?.sources ?? []) names.add(source.secret?.name);
    const { cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos } = volume;
    for (const kind of [cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos]) names.add(kind?.secretRef?.name);
  }
  return present(names);
}

/** Names of the ConfigMaps a Pod refers to. */
export function podConfigMapNames(pod: PodLike): ReadonlySet<string> {
  const names = new Set<string | undefined>();
  for (const container of allContainers(pod)) {
    for (const source of container.envFrom ?? []) names.add(source.configMapRef?.name);
    for (const variable of container.env ?? []) names.add(variable.valueFrom?.configMapKeyRef?.name);
  }
  for (const volume of pod.spec?.volumes ?? []) {
    names.add(volume.configMap?.name);
    for (const source of volume.projected?.sources ?? []) names.add(source.configMap?.name);
  }
  return present(names);
}

/** Names of the PersistentVolumeClaims a Pod mounts; generic ephemeral volumes have `<pod>-<volume>`. */
export function podClaimNames(pod: PodLike): ReadonlySet<string> {
  const names = new Set<string | undefined>();
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.persistentVolumeClaim !== undefined) names.add(volume.persistentVolumeClaim.claimName);
    else if (volume.ephemeral !== undefined) names.add(`${pod.metadata?.name ?? ''}-${volume.name ?? ''}`);
  }
  return present(names);
}

/** Names of the ResourceClaims that exist for a Pod. */
export function podResourceClaimNames(pod: PodLike): ReadonlySet<string> {
  const made = new Map((pod.status?.resourceClaimStatuses ?? []).map((each) => [each.name, each.resourceClaimName]));
  const names = new Set(
    (pod.spec?.resourceClaims ?? []).map((claim) => claim.resourceClaimName ?? made.get(claim.name)),
  );
  names.add(pod.status?.extendedResourceClaimStatus?.resourceClaimName);
  return present(names);
}

interface VolumeSecretSource {
  readonly secretRef?: NameRef;
}

/** The parts of a PersistentVolume that lead to a claim and to Secrets. */
export interface PersistentVolumeLike extends KubeObject {
  readonly spec?: {
    readonly claimRef?: NameRef;
    readonly azureFile?: { readonly secretName?: string; readonly secretNamespace?: string };
    readonly cephfs?: VolumeSecretSource;
    readonly cinder?: VolumeSecretSource;
    readonly flexVolume?: VolumeSecretSource;
    readonly rbd?: VolumeSecretSource;
    readonly scaleIO?: VolumeSecretSource;
    readonly iscsi?: VolumeSecretSource;
    readonly storageos?: VolumeSecretSource;
    readonly csi?: {
      readonly nodePublishSecretRef?: NameRef;
      readonly nodeStageSecretRef?: NameRef;
      readonly nodeExpandSecretRef?: NameRef;
    };
  };
}

/** Secrets (`namespace/name`) that a kubelet reads to mount the volume. */
export function volumeSecretKeys(volume: PersistentVolumeLike): ReadonlySet<string> {
  const spec = volume.spec ?? {};
  const claimNamespace = spec.claimRef?.namespace ?? '';
  const keys = new Set<string>();
  const add = (name: string | undefined, namespace: string | undefined): void => {
    if (name !== undefined && name !== '') keys.add(`${namespace || claimNamespace}/${name}`);
  };
  add(spec.azureFile?.secretName, spec.azureFile?.secretNamespace);
  for (const source of [
    spec.cephfs,
    spec.cinder,
    spec.flexVolume,
    spec.rbd,
    spec.scaleIO,
    spec.iscsi,
    spec.storageos,
  ]) {
    add(source?.secretRef?.name, source?.secretRef?.namespace);
  }
  for (const ref of [spec.csi?.nodePublishSecretRef, spec.csi?.nodeStageSecretRef, spec.csi?.nodeExpandSecretRef]) {
    add(ref?.name, ref?.namespace);
  }
  return keys;
}

function allContainers(pod: PodLike): readonly ContainerLike[] {
  const spec = pod.spec ?? {};
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

function present(names: ReadonlySet<string | undefined>): ReadonlySet<string> {
  return new Set([...names].filter((name): name is string => name !== undefined && name !== ''));
}
