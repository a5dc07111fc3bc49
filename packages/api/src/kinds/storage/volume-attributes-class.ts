// VolumeAttributesClass (storage.k8s.io/v1): a named set of attributes that a volume can be switched to; the set itself
// never changes.

import type { VolumeAttributesClass } from '@homeostat/api/types/storage-v1';
import { FieldPath, forbidden } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateDriverName, validateParameters } from './class-parameters.ts';

export const volumeAttributesClassStrategy: KindStrategy<VolumeAttributesClass> =
  standardStrategy<VolumeAttributesClass>({
    kind: { group: 'storage.k8s.io', version: 'v1', kind: 'VolumeAttributesClass' },
    namespaced: false,
    validate(object, errors, old) {
      if (old === undefined) {
        validateDriverName(object.driverName, new FieldPath('driverName'), errors);
        validateParameters(object.parameters, new FieldPath('parameters'), errors, false);
        return;
      }
      for (const field of ['driverName', 'parameters'] as const) {
        if (semanticEqual(object[field], old[field])) continue;
        errors.push(forbidden(new FieldPath(field), `updates to ${field} are forbidden.`));
      }
    },
  });
