// PersistentVolumeClaimResize: a claim may grow only when it is bound and its class allows it (spec/apiserver.md §15.2).

import type { PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import type { StorageClass } from '@homeostat/api/types/storage-v1';
import { compareQuantity } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, isAbout } from '../admission-host.ts';

export class PersistentVolumeClaimResize implements AdmissionPlugin {
  readonly name = 'PersistentVolumeClaimResize';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'UPDATE';
  }

  validate(attributes: AdmissionAttributes): void {
    if (!isAbout(attributes, 'persistentvolumeclaims')) return;
    const claim = attributes.object as PersistentVolumeClaim;
    const old = attributes.oldObject as PersistentVolumeClaim;
    if (compareQuantity(requested(claim), requested(old)) <= 0) return;
    if (old.status?.phase !== 'Bound') {
      throw newAdmissionForbidden(attributes, 'Only bound persistent volume claims can be expanded');
    }
    const name = className(claim);
    if (name === '' || name !== className(old) || !this.#allowsExpansion(name)) {
      throw newAdmissionForbidden(
        attributes,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    }
  }

  #allowsExpansion(name: string): boolean {
    const reader = this.#host.reader({ group: 'storage.k8s.io', resource: 'storageclasses' });
    return (reader.get('', name) as StorageClass | undefined)?.allowVolumeExpansion === true;
  }
}

function requested(claim: PersistentVolumeClaim): string {
  return claim.spec?.resources?.requests?.['storage'] ?? '0';
}

function className(claim: PersistentVolumeClaim): string {
  const annotated = claim.metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'];
  return annotated ?? claim.spec?.storageClassName ?? '';
}
