// Table rows of volumes, claims, and storage.k8s.io.

import type { PersistentVolume, PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '@homeostat/api/types/storage-v1';
import type { KubeObject } from '@homeostat/machinery';

import { AGE_COLUMN, ageOf, column, nameColumn, nameOf, orElse, table, wideColumn } from './column.ts';

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export const persistentVolumeTable = table<PersistentVolume>(
  [
    nameColumn(),
    column('Capacity', 'Size of the volume.'),
    column('Access Modes', 'Ways it can be mounted.'),
    column('Reclaim Policy', 'What becomes of it when its claim is gone.'),
    column('Status', 'Whether it is free, bound, released or failed.'),
    column('Claim', 'Claim it is bound to.'),
    column('StorageClass', 'Class it belongs to.'),
    column('VolumeAttributesClass', 'Class of its changeable attributes.'),
    column('Reason', 'Why it is in that status.'),
    AGE_COLUMN,
    wideColumn('VolumeMode', 'Filesystem or Block.'),
  ],
  (volume, nowMs) => {
    const claim = volume.spec?.claimRef;
    return [
      nameOf(volume),
      volume.spec?.capacity?.['storage'] ?? '0',
      modesText(volume.spec?.accessModes),
      volume.spec?.persistentVolumeReclaimPolicy ?? '',
      phaseText(volume, volume.status?.phase),
      claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`,
      classOf(volume, volume.spec?.storageClassName),
      orElse(volume.spec?.volumeAttributesClassName, '<unset>'),
      volume.status?.reason ?? '',
      ageOf(volume, nowMs),
      volume.spec?.volumeMode ?? '<unset>',
    ];
  },
);

export const persistentVolumeClaimTable = table<PersistentVolumeClaim>(
  [
    nameColumn(),
    column('Status', 'Whether it is bound.'),
    column('Volume', 'Volume it is bound to.'),
    column('Capacity', 'Size of that volume.'),
    column('Access Modes', 'Ways that volume can be mounted.'),
    column('StorageClass', 'Class asked for.'),
    column('VolumeAttributesClass', 'Class of changeable attributes asked for.'),
    AGE_COLUMN,
    wideColumn('VolumeMode', 'Filesystem or Block.'),
  ],
  (claim, nowMs) => {
    const isBound = orElse(claim.spec?.volumeName, '') !== '';
    return [
      nameOf(claim),
      phaseText(claim, claim.status?.phase),
      claim.spec?.volumeName ?? '',
      isBound ? (claim.status?.capacity?.['storage'] ?? '0') : '',
      isBound ? modesText(claim.status?.accessModes) : '',
      classOf(claim, claim.spec?.storageClassName),
      orElse(claim.spec?.volumeAttributesClassName, '<unset>'),
      ageOf(claim, nowMs),
      claim.spec?.volumeMode ?? '<unset>',
    ];
  },
);

export const storageClassTable = table<StorageClass>(
  [
    nameColumn(),
    column('Provisioner', 'What makes volumes of the class.'),
    column('ReclaimPolicy', 'What becomes of its volumes when their claims are gone.'),
    column('VolumeBindingMode', 'When its claims are bound.'),
    column('AllowVolumeExpansion', 'Whether its claims may grow.'),
    AGE_COLUMN,
  ],
  (object, nowMs) => [
    isDefaultClass(object) ? `${nameOf(object)} (default)` : nameOf(object),
    object.provisioner ?? '',
    object.reclaimPolicy ?? 'Delete',
    object.volumeBindingMode ?? 'Immediate',
    object.allowVolumeExpansion ?? false,
    ageOf(object, nowMs),
  ],
);

export const volumeAttributesClassTable = table<VolumeAttributesClass>(
  [nameColumn(), column('DriverName', 'Driver that understands its parameters.'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), object.driverName ?? '', ageOf(object, nowMs)],
);

export const volumeAttachmentTable = table<VolumeAttachment>(
  [
    nameColumn(),
    nameColumn('Attacher', 'Driver that attaches the volume.'),
    column('PV', 'Volume to attach.'),
    column('Node', 'Node to attach it to.'),
    column('Attached', 'Whether that is done.', 'boolean'),
    AGE_COLUMN,
  ],
  (object, nowMs) => [
    nameOf(object),
    object.spec?.attacher ?? '',
    object.spec?.source?.persistentVolumeName ?? '',
    object.spec?.nodeName ?? '',
    object.status?.attached ?? false,
    ageOf(object, nowMs),
  ],
);

export const csiNodeTable = table<CSINode>(
  [nameColumn(), column('Drivers', 'How many drivers run on the node.', 'integer'), AGE_COLUMN],
  (object, nowMs) => [nameOf(object), object.spec?.drivers?.length ?? 0, ageOf(object, nowMs)],
);

export const csiDriverTable = table<CSIDriver>(
  [
    nameColumn(),
    column('AttachRequired', 'Whether volumes are attached before they are mounted.', 'boolean'),
    column('PodInfoOnMount', 'Whether the driver is told of the Pod.', 'boolean'),
    column('StorageCapacity', 'Whether the driver reports free capacity.', 'boolean'),
    column('TokenRequests', 'Audiences of the tokens it is given.'),
    column('RequiresRepublish', 'Whether mounts are refreshed from time to time.', 'boolean'),
    column('Modes', 'Life cycles of volumes that it supports.'),
    AGE_COLUMN,
  ],
  (object, nowMs) => {
    const spec = object.spec;
    return [
      nameOf(object),
      spec?.attachRequired ?? true,
      spec?.podInfoOnMount ?? false,
      spec?.storageCapacity ?? false,
      orElse((spec?.tokenRequests ?? []).map((request) => request.audience).join(','), '<unset>'),
      spec?.requiresRepublish ?? false,
      orElse((spec?.volumeLifecycleModes ?? []).join(','), '<none>'),
      ageOf(object, nowMs),
    ];
  },
);

function modesText(modes: readonly string[] | undefined): string {
  const wanted = new Set(modes);
  return Object.keys(MODES)
    .filter((mode) => wanted.has(mode))
    .map((mode) => MODES[mode])
    .join(',');
}

function phaseText(object: KubeObject, phase: string | undefined): string {
  return object.metadata?.deletionTimestamp === undefined ? (phase ?? '') : 'Terminating';
}

/** The beta annotation still wins over the field. */
function classOf(object: KubeObject, className: string | undefined): string {
  return object.metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? className ?? '';
}

function isDefaultClass(object: KubeObject): boolean {
  const annotations = object.metadata?.annotations ?? {};
  const names = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];
  return names.some((name) => annotations[name] === 'true');
}
