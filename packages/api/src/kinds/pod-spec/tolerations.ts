// Tolerations and the effects of taints.

import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isDecimalInteger,
  isLabelValue,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { Toleration } from '@homeostat/api/types/core-v1';
import { validateLabelName } from '../rules/labels.ts';
import { pushInvalid } from '../rules/values.ts';
import type { PodSpecOptions } from './options.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTaintEffect(effect: string, path: FieldPath, errors: FieldError[]): void {
  if (effect === '') errors.push(required(path));
  else if (!effects.includes(effect)) errors.push(notSupported(path, effect, effects));
}

export function validateTolerations(
  tolerations: readonly Toleration[] | undefined,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  for (const [index, toleration] of (tolerations ?? []).entries()) {
    const at = path.index(index);
    const { key = '', value = '', tolerationSeconds } = toleration;
    const operator: string = toleration.operator ?? '';
    const effect: string = toleration.effect ?? '';
    if (key !== '') validateLabelName(key, at.child('key'), errors);
    if (key === '' && operator !== 'Exists') {
      const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalid(at.child('operator'), operator, text));
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(invalid(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    validateOperator(operator, value, at, errors, options);
    if (effect !== '') validateTaintEffect(effect, at.child('effect'), errors);
  }
}

/** On update tolerations may be added; of those that were there only `tolerationSeconds` may change. */
export function validateOnlyAddedTolerations(
  tolerations: readonly Toleration[] | undefined,
  old: readonly Toleration[] | undefined,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  const kept = new Set((tolerations ?? []).map(identity));
  for (const former of old ?? []) {
    if (!kept.has(identity(former)))
      errors.push(forbidden(path, 'existing toleration can not be modified except its tolerationSeconds'));
  }
  validateTolerations(tolerations, path, errors, options);
}

function identity({ key = '', operator, value = '', effect }: Toleration): string {
  return JSON.stringify([key, operator ?? '', value, effect ?? '']);
}

function validateOperator(
  operator: string,
  value: string,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  const at = path.child('operator');
  switch (operator) {
    case '':
    case 'Equal': {
      const texts = isLabelValue(value);
      if (texts.length > 0) errors.push(invalid(at, value, texts.join(';')));
      break;
    }
    case 'Exists':
      if (value !== '') errors.push(invalid(at, value, "value must be empty when `operator` is 'Exists'"));
      break;
    case 'Lt':
    case 'Gt':
      if (!options.allowComparisonTolerations) errors.push(notSupported(at, operator, ['Equal', 'Exists', 'Lt', 'Gt']));
      else pushInvalid(isDecimalInteger(value), value, path.child('value'), errors);
      break;
    default:
      errors.push(notSupported(at, operator, ['Equal', 'Exists']));
  }
}
