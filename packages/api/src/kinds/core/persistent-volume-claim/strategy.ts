// PersistentVolumeClaims.

import { FieldPath, type Mutable } from '@homeostat/machinery';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import { warningsForClaimResources } from '../../pod-spec/warnings.ts';
import { keepField } from '../../update-parts.ts';
import { applyClaimDefaults } from './claim-spec.ts';
import { validateClaim, validateClaimStatusUpdate, validateClaimUpdate } from './validation.ts';

export const persistentVolumeClaimStrategy: KindStrategy<PersistentVolumeClaim> = {
  resetFields: [['status']],
  applyDefaults: applyClaimDefaults,
  prepareForCreate(draft) {
    draft.status = { phase: 'Pending' };
    settleDataSources(draft.spec, undefined);
  },
  validateCreate: (claim) => validateClaim(claim),
  warningsOnCreate: warningsFor,
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    settleDataSources(draft.spec, old.spec);
  },
  validateUpdate: validateClaimUpdate,
  warningsOnUpdate: warningsFor,
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate: (draft, old) => keepField(draft, old, 'spec'),
      validateUpdate: validateClaimStatusUpdate,
    },
  },
  selectableFields: (claim) => ({ name: claim.metadata?.name ?? '' }),
};

/** `dataSource` is the older form of `dataSourceRef`; it could only name claims and snapshots, others were dropped. */
function settleDataSources(
  spec: Mutable<PersistentVolumeClaimSpec> | undefined,
  old: PersistentVolumeClaimSpec | undefined,
): void {
  if (spec === undefined) return;
  // Sources in other namespaces are behind a gate that is off.
  if ((spec.dataSourceRef?.namespace ?? '') !== '' && old?.dataSourceRef === undefined) delete spec.dataSourceRef;
  const inUse = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  if (!inUse && spec.dataSourceRef === undefined && !isClaimOrSnapshot(spec)) delete spec.dataSource;
  if (spec.dataSource !== undefined && spec.dataSourceRef === undefined) spec.dataSourceRef = { ...spec.dataSource };
  else if (spec.dataSource === undefined && spec.dataSourceRef !== undefined) {
    const { namespace = '', ...source } = spec.dataSourceRef;
    if (namespace === '') spec.dataSource = source;
  }
}

function isClaimOrSnapshot({ dataSource }: Mutable<PersistentVolumeClaimSpec>): boolean {
  const group = dataSource?.apiGroup ?? '';
  if (dataSource?.kind === 'PersistentVolumeClaim') return group === '';
  return dataSource?.kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io';
}

function warningsFor(claim: PersistentVolumeClaim): readonly string[] {
  const key = 'volume.beta.kubernetes.io/storage-class';
  const deprecated = claim.metadata?.annotations?.[key] !== undefined;
  const at = new FieldPath('metadata').child('annotations').key(key);
  return [
    ...(deprecated ? [`${at.toString()}: deprecated since v1.8; use "storageClassName" attribute instead`] : []),
    ...warningsForClaimResources(claim.spec?.resources, new FieldPath('spec')),
  ];
}
