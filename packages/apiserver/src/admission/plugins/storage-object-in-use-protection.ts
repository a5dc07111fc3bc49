// StorageObjectInUseProtection: claims, volumes and attribute classes get the finalizer that the protection controllers take
// away once nothing uses them (spec/apiserver.md §15.2).

import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { resourceText } from '../admission-host.ts';

const finalizerOf: Readonly<Record<string, string>> = {
  persistentvolumes: 'kubernetes.io/pv-protection',
  persistentvolumeclaims: 'kubernetes.io/pvc-protection',
  'volumeattributesclasses.storage.k8s.io': 'kubernetes.io/vac-protection',
};

export class StorageObjectInUseProtection implements AdmissionPlugin {
  readonly name = 'StorageObjectInUseProtection';

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE';
  }

  admit({ subresource, resource, object }: AdmissionAttributes): void {
    const finalizer = subresource === '' ? finalizerOf[resourceText(resource)] : undefined;
    if (finalizer === undefined || object === undefined) return;
    const finalizers = object.metadata?.finalizers ?? [];
    if (finalizers.includes(finalizer)) return;
    object.metadata = { ...object.metadata, finalizers: [...finalizers, finalizer] };
  }
}
