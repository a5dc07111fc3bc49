// Lease (coordination.k8s.io/v1). Coordinated leader election (strategy, preferredHolder) is off in 1.36: its fields are
// dropped.

import type { Lease } from '@homeostat/api/types/coordination-v1';
import { FieldPath, invalid, type Mutable } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateNonnegative } from '../rules/values.ts';
import { standardStrategy } from '../standard-strategy.ts';

const specPath = new FieldPath('spec');

export const leaseStrategy: KindStrategy<Lease> = standardStrategy<Lease>({
  kind: { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' },
  namespaced: true,
  prepareForCreate: (draft) => dropCoordination(draft, undefined),
  prepareForUpdate: (draft, old) => dropCoordination(draft, old),
  validate(object, errors) {
    const duration = object.spec?.leaseDurationSeconds;
    if (duration !== undefined && duration <= 0) {
      errors.push(invalid(specPath.child('leaseDurationSeconds'), duration, 'must be greater than 0'));
    }
    validateNonnegative(object.spec?.leaseTransitions, specPath.child('leaseTransitions'), errors);
  },
  more: { allowCreateOnUpdate: true, allowUnconditionalUpdate: false },
});

function dropCoordination(draft: Mutable<Lease>, old: Lease | undefined): void {
  for (const field of ['strategy', 'preferredHolder'] as const) {
    if (draft.spec !== undefined && old?.spec?.[field] === undefined) delete draft.spec[field];
  }
}
