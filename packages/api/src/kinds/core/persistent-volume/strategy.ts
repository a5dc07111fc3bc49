// PersistentVolumes.

import { FieldPath, formatTime } from '@homeostat/machinery';
import type { PersistentVolume } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { warningsForNodeSelectorTerm } from '../../pod-spec/warnings.ts';
import { defaultResourceList } from '../../rules/resource-lists.ts';
import { keepField } from '../../update-parts.ts';
import {
  validateMountOptions,
  validateVolume,
  validateVolumeStatusUpdate,
  validateVolumeUpdate,
} from './validation.ts';

export const persistentVolumeStrategy: KindStrategy<PersistentVolume> = {
  resetFields: [['status']],
  applyDefaults(draft) {
    const spec = (draft.spec ??= {});
    (draft.status ??= {}).phase ||= 'Pending';
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    if (spec.hostPath !== undefined) spec.hostPath.type ??= '';
    defaultResourceList(spec.capacity);
  },
  prepareForCreate(draft, context) {
    draft.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(context.nowMs) };
  },
  validateCreate: (volume) => [...validateVolume(volume), ...validateMountOptions(volume)],
  warningsOnCreate: warningsFor,
  prepareForUpdate: (draft, old) => keepField(draft, old, 'status'),
  validateUpdate: (volume, old) => [
    ...validateVolume(volume, old),
    ...validateMountOptions(volume),
    ...validateVolumeUpdate(volume, old),
  ],
  warningsOnUpdate: warningsFor,
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate(draft, old, context) {
        keepField(draft, old, 'spec');
        const status = (draft.status ??= {});
        const former = old.status?.lastPhaseTransitionTime;
        const given = status.lastPhaseTransitionTime;
        if (status.phase !== old.status?.phase) {
          if (given === undefined || given === former) status.lastPhaseTransitionTime = formatTime(context.nowMs);
        } else if (given === undefined && former !== undefined) status.lastPhaseTransitionTime = former;
      },
      validateUpdate: validateVolumeStatusUpdate,
    },
  },
  selectableFields: (volume) => ({ name: volume.metadata?.name ?? '' }),
};

const deprecatedAnnotations: readonly (readonly [key: string, text: string])[] = [
  ['volume.beta.kubernetes.io/storage-class', 'deprecated since v1.8; use "storageClassName" attribute instead'],
  ['volume.beta.kubernetes.io/mount-options', 'deprecated since v1.31; use "mountOptions" attribute instead'],
];

const deprecatedTypes = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

function warningsFor(volume: PersistentVolume): readonly string[] {
  const spec = volume.spec ?? {};
  const specPath = new FieldPath('spec');
  const annotationsPath = new FieldPath('metadata').child('annotations');
  const termsPath = specPath.child('nodeAffinity', 'required', 'nodeSelectorTerms');
  const recycle =
    'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  return [
    ...deprecatedAnnotations
      .filter(([key]) => volume.metadata?.annotations?.[key] !== undefined)
      .map(([key, text]) => `${annotationsPath.key(key).toString()}: ${text}`),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? [`${specPath.child('persistentVolumeReclaimPolicy').toString()}: ${recycle}`]
      : []),
    ...(spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      warningsForNodeSelectorTerm(term, false, termsPath.index(index)),
    ),
    ...deprecatedTypes
      .filter(([field]) => spec[field] !== undefined)
      .map(([, shown, text]) => `${specPath.child(shown).toString()}: ${text}`),
  ];
}
