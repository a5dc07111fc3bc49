// How fast a HorizontalPodAutoscaler may scale: defaults and rules of spec.behavior.

import type {
  HorizontalPodAutoscalerBehavior,
  HPAScalingPolicy,
  HPAScalingRules,
} from '@homeostat/api/types/autoscaling-v2';
import { type FieldError, type FieldPath, invalid, type Mutable, notSupported, required } from '@homeostat/machinery';
import { isNegative } from '../rules/quantities.ts';
import { negativeText, notPositiveText } from '../rules/values.ts';

const windowSecondsMax = 3600;
const periodSecondsMax = 1800;
const selections = ['Disabled', 'Max', 'Min'];
const policyTypes = ['Percent', 'Pods'];

const scaleUpDefaults: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
/** The stabilization window is the controller's to choose. */
const scaleDownDefaults: HPAScalingRules = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

/** Fills both directions, once the object says anything of behavior at all. */
export function defaultBehavior(behavior: Mutable<HorizontalPodAutoscalerBehavior>): void {
  behavior.scaleUp = { ...structuredClone(scaleUpDefaults), ...behavior.scaleUp } as Mutable<HPAScalingRules>;
  behavior.scaleDown = { ...structuredClone(scaleDownDefaults), ...behavior.scaleDown } as Mutable<HPAScalingRules>;
}

export function validateBehavior(
  behavior: HorizontalPodAutoscalerBehavior | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const field of ['scaleUp', 'scaleDown'] as const) {
    const rules = behavior?.[field];
    if (rules !== undefined) validateRules(rules, path.child(field), errors);
  }
}

function validateRules(rules: HPAScalingRules, path: FieldPath, errors: FieldError[]): void {
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules;
  const at = path.child('stabilizationWindowSeconds');
  if (window !== undefined && window < 0) errors.push(invalid(at, window, 'must be greater than or equal to zero'));
  if (window !== undefined && window > windowSecondsMax) {
    errors.push(invalid(at, window, `must be less than or equal to ${windowSecondsMax}`));
  }
  if (selectPolicy !== undefined && !selections.includes(selectPolicy)) {
    errors.push(notSupported(path.child('selectPolicy'), selectPolicy, selections));
  }
  const policiesPath = path.child('policies');
  if (policies.length === 0) errors.push(required(policiesPath, 'must specify at least one Policy'));
  for (const [index, policy] of policies.entries()) validatePolicy(policy, policiesPath.index(index), errors);
  if (tolerance !== undefined && isNegative(tolerance)) {
    errors.push(invalid(path.child('tolerance'), tolerance, negativeText));
  }
}

function validatePolicy(policy: HPAScalingPolicy, path: FieldPath, errors: FieldError[]): void {
  const { type = '', value = 0, periodSeconds = 0 } = policy;
  if (!policyTypes.includes(type)) errors.push(notSupported(path.child('type'), type, policyTypes));
  if (value <= 0) errors.push(invalid(path.child('value'), value, notPositiveText));
  const at = path.child('periodSeconds');
  if (periodSeconds <= 0) errors.push(invalid(at, periodSeconds, notPositiveText));
  if (periodSeconds > periodSecondsMax) {
    errors.push(invalid(at, periodSeconds, `must be less than or equal to ${periodSecondsMax}`));
  }
}
