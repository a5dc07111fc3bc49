// A Job's podFailurePolicy: rules that look at exit codes or at Pod conditions, never at both.

import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from '@homeostat/api/types/batch-v1';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  isQualifiedName,
  notSupported,
  required,
  tooMany,
} from '@homeostat/machinery';
import type { GoField } from '../rules/go-form.ts';
import { invalidWithoutValue, pushInvalid } from '../rules/values.ts';

const rulesMax = 20;
const exitCodesMax = 255;
const conditionsMax = 20;
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

export const podFailurePolicyForm: readonly GoField[] = [
  [
    'Rules',
    'rules',
    null,
    [
      ['Action', 'action', ''],
      [
        'OnExitCodes',
        'onExitCodes',
        null,
        [
          ['ContainerName', 'containerName', null],
          ['Operator', 'operator', ''],
          ['Values', 'values', null],
        ],
      ],
      [
        'OnPodConditions',
        'onPodConditions',
        null,
        [
          ['Type', 'type', ''],
          ['Status', 'status', ''],
        ],
      ],
    ],
  ],
];

export function validatePodFailurePolicy(spec: JobSpec, path: FieldPath, errors: FieldError[]): void {
  const rules = spec.podFailurePolicy?.rules ?? [];
  const at = path.child('rules');
  if (rules.length > rulesMax) errors.push(tooMany(at, rules.length, rulesMax));
  for (const [index, rule] of rules.entries()) validateRule(rule, spec, at.index(index), errors);
}

function validateRule(rule: PodFailurePolicyRule, spec: JobSpec, path: FieldPath, errors: FieldError[]): void {
  const { action = '', onExitCodes, onPodConditions = [] } = rule;
  const at = path.child('action');
  if (action === '') errors.push(required(at, `valid values: ${quoteList(actions)}`));
  else if (action === 'FailIndex') {
    if (spec.backoffLimitPerIndex === undefined) {
      errors.push(invalid(at, action, 'requires the backoffLimitPerIndex to be set'));
    }
  } else if (!actions.includes(action)) errors.push(notSupported(at, action, actions));
  const conditions = onPodConditions ?? [];
  if (onExitCodes !== undefined) validateExitCodes(onExitCodes, spec, path.child('onExitCodes'), errors);
  if (conditions.length > 0) validateConditions(conditions, path.child('onPodConditions'), errors);
  if (onExitCodes !== undefined && conditions.length > 0) {
    errors.push(invalidWithoutValue(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (onExitCodes === undefined && conditions.length === 0) {
    errors.push(invalidWithoutValue(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
}

function validateExitCodes(
  requirement: PodFailurePolicyOnExitCodesRequirement,
  spec: JobSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { operator = '', containerName, values = [] } = requirement;
  const at = path.child('operator');
  if (operator === '') errors.push(required(at, `valid values: ${quoteList(operators)}`));
  else if (!operators.includes(operator)) errors.push(notSupported(at, operator, operators));
  const pod = spec.template?.spec;
  const names = [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])].map((container) => container.name);
  if (containerName !== undefined && !names.includes(containerName)) {
    const text = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalid(path.child('containerName'), containerName, text));
  }
  validateCodes(values, operator, path.child('values'), errors);
}

function validateCodes(values: readonly number[], operator: string, path: FieldPath, errors: FieldError[]): void {
  if (values.length === 0) errors.push(invalid(path, values, 'at least one value is required'));
  else if (values.length > exitCodesMax) errors.push(tooMany(path, values.length, exitCodesMax));
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (operator === 'In' && value === 0)
      errors.push(invalid(path.index(index), value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(duplicate(path.index(index), value));
    seen.add(value);
  }
  const isOrdered = values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);
  if (!isOrdered) errors.push(invalid(path, values, 'must be ordered'));
}

function validateConditions(
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  path: FieldPath,
  errors: FieldError[],
): void {
  if (patterns.length > conditionsMax) errors.push(tooMany(path, patterns.length, conditionsMax));
  for (const [index, { type = '', status = '' }] of patterns.entries()) {
    const at = path.index(index);
    pushInvalid(isQualifiedName(type), type, at.child('type'), errors);
    if (status === '') errors.push(required(at.child('status'), `valid values: ${quoteList(statuses)}`));
    else if (!statuses.includes(status)) errors.push(notSupported(at.child('status'), status, statuses));
  }
}

/** Go's `%q` of a list. */
function quoteList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
