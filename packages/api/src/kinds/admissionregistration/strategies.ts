// The strategies of admissionregistration.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import {
  mutatingAdmissionPolicyBindingStrategy,
  mutatingAdmissionPolicyStrategy,
} from './mutating-admission-policy.ts';
import {
  validatingAdmissionPolicyBindingStrategy,
  validatingAdmissionPolicyStrategy,
} from './validating-admission-policy.ts';
import {
  mutatingWebhookConfigurationStrategy,
  validatingWebhookConfigurationStrategy,
} from './webhook-configuration.ts';

export const admissionRegistrationStrategies: StrategyMap = {
  MutatingAdmissionPolicy: mutatingAdmissionPolicyStrategy,
  MutatingAdmissionPolicyBinding: mutatingAdmissionPolicyBindingStrategy,
  MutatingWebhookConfiguration: mutatingWebhookConfigurationStrategy,
  ValidatingAdmissionPolicy: validatingAdmissionPolicyStrategy,
  ValidatingAdmissionPolicyBinding: validatingAdmissionPolicyBindingStrategy,
  ValidatingWebhookConfiguration: validatingWebhookConfigurationStrategy,
};
