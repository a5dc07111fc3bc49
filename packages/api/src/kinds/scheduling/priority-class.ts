// PriorityClass (scheduling.k8s.io/v1). Names that start with `system-` and values above a billion are the system's.

import type { PriorityClass } from '@homeostat/api/types/scheduling-v1';
import { type FieldError, FieldPath, forbidden } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateSupported } from '../rules/values.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateImmutable } from '../update-parts.ts';

const systemPrefix = 'system-';
const userValueMax = 1_000_000_000;
const systemClasses: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};
const valuePath = new FieldPath('value');
const policyPath = new FieldPath('preemptionPolicy');

export const priorityClassStrategy: KindStrategy<PriorityClass> = standardStrategy<PriorityClass>({
  kind: { group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass' },
  namespaced: false,
  // The generation is 1 for ever.
  generationFields: [],
  validate(object, errors, old) {
    if (old === undefined) validateNew(object, errors);
    else {
      if (object.value !== old.value) errors.push(forbidden(valuePath, 'may not be changed in an update.'));
      validateImmutable(object.preemptionPolicy, old.preemptionPolicy, policyPath, errors);
    }
  },
  more: {
    refusesDelete: (name) =>
      systemClasses[name] === undefined ? undefined : 'this is a system priority class and cannot be deleted',
    applyDefaults(draft) {
      draft.preemptionPolicy ??= 'PreemptLowerPriority';
    },
  },
});

function validateNew(object: PriorityClass, errors: FieldError[]): void {
  const name = object.metadata?.name ?? '';
  if (name.startsWith(systemPrefix)) {
    const problem = systemProblem(object, name);
    if (problem !== undefined) {
      const text = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`;
      errors.push(forbidden(new FieldPath('metadata.name'), text));
    }
  } else if ((object.value ?? 0) > userValueMax) {
    errors.push(forbidden(valuePath, `maximum allowed value of a user defined priority is ${userValueMax}`));
  }
  if (object.preemptionPolicy === undefined) return;
  validateSupported(object.preemptionPolicy, ['PreemptLowerPriority', 'Never'], policyPath, errors);
}

function systemProblem(object: PriorityClass, name: string): string | undefined {
  const value = systemClasses[name];
  if (value === undefined) return `${name} is not a known system priority class`;
  if (object.value !== value) return `value of ${name} PriorityClass must be ${value}`;
  return object.globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
