// StorageClass (storage.k8s.io/v1): volumes made under a class must not be surprised by it, so only what does not touch
// them may change.

import type { TopologySelectorTerm } from '@homeostat/api/types/core-v1';
import type { StorageClass } from '@homeostat/api/types/storage-v1';
import { duplicate, type FieldError, FieldPath, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateLabelName } from '../rules/labels.ts';
import { validateSupported } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateImmutable } from '../update-parts.ts';
import { validateDriverName, validateParameters } from './class-parameters.ts';

export const storageClassStrategy: KindStrategy<StorageClass> = standardStrategy<StorageClass>({
  kind: { group: 'storage.k8s.io', version: 'v1', kind: 'StorageClass' },
  namespaced: false,
  validate(object, errors, old) {
    if (old === undefined) validateNew(object, errors);
    else {
      for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const) {
        validateImmutable(object[field], old[field], new FieldPath(field), errors);
      }
    }
  },
  more: {
    applyDefaults(draft) {
      draft.reclaimPolicy ??= 'Delete';
      draft.volumeBindingMode ??= 'Immediate';
    },
  },
});

function validateNew(object: StorageClass, errors: FieldError[]): void {
  validateDriverName(object.provisioner, new FieldPath('provisioner'), errors);
  validateParameters(object.parameters, new FieldPath('parameters'), errors, true);
  if (object.reclaimPolicy !== undefined) {
    validateSupported(object.reclaimPolicy, ['Delete', 'Retain'], new FieldPath('reclaimPolicy'), errors);
  }
  const mode = object.volumeBindingMode;
  const modePath = new FieldPath('volumeBindingMode');
  if (mode === undefined) errors.push(required(modePath));
  else validateSupported(mode, ['Immediate', 'WaitForFirstConsumer'], modePath, errors);
  validateTopologies(object.allowedTopologies ?? [], new FieldPath('allowedTopologies'), errors);
}

function validateTopologies(terms: readonly TopologySelectorTerm[], path: FieldPath, errors: FieldError[]): void {
  for (const [index, term] of terms.entries()) {
    const at = path.index(index).child('matchLabelExpressions');
    const keys = new Set<string>();
    for (const [i, { key = '', values = [] }] of (term.matchLabelExpressions ?? []).entries()) {
      const valuesPath = at.index(i).child('values');
      if (values.length === 0) errors.push(required(valuesPath));
      for (const [j, value] of values.entries()) {
        if (values.indexOf(value) < j) errors.push(duplicate(valuesPath.index(j), value));
      }
      validateLabelName(key, at.index(i).child('key'), errors);
      if (keys.has(key)) errors.push(duplicate(at.index(i).child('key'), key));
      keys.add(key);
    }
    if (terms.slice(0, index).some((other) => semanticEqual(other, term))) errors.push(duplicate(at, ''));
  }
}
