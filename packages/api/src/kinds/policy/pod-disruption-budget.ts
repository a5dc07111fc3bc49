// PodDisruptionBudget (policy/v1). Its name is not held to more than being a path segment, as upstream.

import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '@homeostat/api/types/policy-v1';
import { type FieldError, FieldPath, invalid } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateCounters } from '../apps/status-counters.ts';
import { validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { validateConditions } from '../rules/conditions.ts';
import { type GoField, toGoForm } from '../rules/go-form.ts';
import { validateAtMost100Percent, validateIntOrPercent } from '../rules/int-or-percent.ts';
import { validateLabelSelector } from '../rules/labels.ts';
import { validateSupported } from '../rules/values.ts';
import { bumpGenerationOn, keepField } from '../update-parts.ts';

const kind = { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' };
const metadataPath = new FieldPath('metadata');
const specForm: readonly GoField[] = [
  ['MinAvailable', 'minAvailable', null],
  ['Selector', 'selector', null],
  ['MaxUnavailable', 'maxUnavailable', null],
  ['UnhealthyPodEvictionPolicy', 'unhealthyPodEvictionPolicy', null],
];

export const podDisruptionBudgetStrategy: KindStrategy<PodDisruptionBudget> = {
  nameRule: 'path-segment',
  tracksGeneration: true,
  allowUnconditionalUpdate: false,
  resetFields: [['status']],
  prepareForCreate(draft) {
    delete draft.status;
  },
  validateCreate: (object) => validateBudget(object.spec ?? {}),
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    bumpGenerationOn(draft, old, ['spec'], kind);
  },
  validateUpdate: (object) => validateBudget(object.spec ?? {}),
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate(draft, old) {
        keepField(draft, old, 'spec');
      },
      validateUpdate(object, old) {
        const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
        const path = new FieldPath('status');
        const counters = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];
        validateConditions(object.status?.conditions, path.child('conditions'), errors);
        validateCounters(object.status ?? {}, counters, path, errors);
        return errors;
      },
    },
  },
};

function validateBudget(spec: PodDisruptionBudgetSpec): FieldError[] {
  const errors: FieldError[] = [];
  const path = new FieldPath('spec');
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    errors.push(invalid(path, toGoForm(spec, specForm), 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    validateIntOrPercent(spec[field], path.child(field), errors);
    validateAtMost100Percent(spec[field], path.child(field), errors);
  }
  validateLabelSelector(spec.selector, path.child('selector'), errors);
  const policy = spec.unhealthyPodEvictionPolicy;
  if (policy !== undefined) {
    validateSupported(policy, ['AlwaysAllow', 'IfHealthyBudget'], path.child('unhealthyPodEvictionPolicy'), errors);
  }
  return errors;
}
