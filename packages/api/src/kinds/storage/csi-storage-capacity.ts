// CSIStorageCapacity (storage.k8s.io/v1).

import type { CSIStorageCapacity } from '@homeostat/api/types/storage-v1';
import { FieldPath, invalid } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateLabelSelector } from '../rules/labels.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { isNegative } from '../rules/quantities.ts';
import { negativeText, pushInvalid } from '../rules/values.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateImmutable } from '../update-parts.ts';

const classPath = new FieldPath('storageClassName');
const topologyPath = new FieldPath('nodeTopology');

export const csiStorageCapacityStrategy: KindStrategy<CSIStorageCapacity> = standardStrategy<CSIStorageCapacity>({
  kind: { group: 'storage.k8s.io', version: 'v1', kind: 'CSIStorageCapacity' },
  namespaced: true,
  validate(object, errors, old) {
    const className = object.storageClassName ?? '';
    validateLabelSelector(object.nodeTopology, topologyPath, errors);
    pushInvalid(nameIsDnsSubdomain(className, false), className, classPath, errors);
    if (object.capacity !== undefined && isNegative(object.capacity)) {
      errors.push(invalid(new FieldPath('capacity'), object.capacity, negativeText));
    }
    if (old === undefined) return;
    validateImmutable(object.nodeTopology, old.nodeTopology, topologyPath, errors);
    validateImmutable(className, old.storageClassName ?? '', classPath, errors);
  },
  more: { allowUnconditionalUpdate: false },
});
