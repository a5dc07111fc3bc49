// Restart policies of single containers and the rules by exit code beside them.

import { type FieldError, type FieldPath, required, tooMany } from '@homeostat/machinery';
import type { Container, ContainerRestartRule } from '@homeostat/api/types/core-v1';
import { validateSupported } from '../rules/values.ts';

const policies = ['Always', 'Never', 'OnFailure'];
const actions = ['Restart', 'RestartAllContainers'];
const rulesMax = 20;
const exitCodesMax = 255;

export function validateContainerRestartPolicy(container: Container, path: FieldPath, errors: FieldError[]): void {
  const rules = container.restartPolicyRules ?? [];
  if (container.restartPolicy !== undefined) {
    validateSupported(container.restartPolicy, policies, path.child('restartPolicy'), errors);
  } else if (rules.length > 0) {
    errors.push(required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used'));
  }
  const rulesPath = path.child('restartPolicyRules');
  if (rules.length > rulesMax) errors.push(tooMany(rulesPath, rules.length, rulesMax));
  for (const [index, rule] of rules.entries()) validateRule(rule, rulesPath.index(index), errors);
}

/** Init containers without a policy need no look at their rules: having any is the error. */
export function validateInitContainerRestartPolicy(container: Container, path: FieldPath, errors: FieldError[]): void {
  if (container.restartPolicy !== undefined) validateContainerRestartPolicy(container, path, errors);
  else if ((container.restartPolicyRules ?? []).length > 0) {
    errors.push(required(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used'));
  }
}

function validateRule(rule: ContainerRestartRule, path: FieldPath, errors: FieldError[]): void {
  validateSupported(rule.action ?? '', actions, path.child('action'), errors);
  const exitCodes = rule.exitCodes;
  const at = path.child('exitCodes');
  if (exitCodes === undefined) {
    errors.push(required(at, 'must be specified'));
    return;
  }
  validateSupported(exitCodes.operator ?? '', ['In', 'NotIn'], at.child('operator'), errors);
  const values = exitCodes.values ?? [];
  if (values.length > exitCodesMax) errors.push(tooMany(at.child('values'), values.length, exitCodesMax));
}
