// `metav1.Condition` lists in status: types are unique, and reasons are words.

import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  patternText,
  required,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import { validateLabelName } from './labels.ts';

const statuses = ['False', 'True', 'Unknown'];
const reasonPattern = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonExpression = new RegExp(`^${reasonPattern}$`);
const reasonBytesMax = 1024;
const messageBytesMax = 32 * 1024;

export interface ConditionLike {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

export function validateConditions(
  conditions: readonly ConditionLike[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [index, condition] of (conditions ?? []).entries()) {
    const type = condition.type ?? '';
    if (seen.has(type)) errors.push(duplicate(path.index(index).child('type'), type));
    seen.add(type);
    validateCondition(condition, path.index(index), errors);
  }
}

function validateCondition(condition: ConditionLike, path: FieldPath, errors: FieldError[]): void {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  validateLabelName(type, path.child('type'), errors);
  if (!statuses.includes(status)) errors.push(notSupported(path.child('status'), status, statuses));
  if (observedGeneration < 0) {
    errors.push(invalid(path.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero'));
  }
  if (lastTransitionTime === undefined || lastTransitionTime === null) {
    errors.push(required(path.child('lastTransitionTime')));
  }
  const at = path.child('reason');
  if (reason === '') errors.push(required(at));
  else {
    if (!reasonExpression.test(reason)) {
      const text = patternText(
        "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
        reasonPattern,
        'my_name',
        'MY_NAME',
        'MyName',
        'ReasonA,ReasonB',
        'ReasonA:ReasonB',
      );
      errors.push(invalid(at, reason, text));
    }
    if (utf8Length(reason) > reasonBytesMax) errors.push(tooLong(at, reasonBytesMax));
  }
  if (utf8Length(message) > messageBytesMax) errors.push(tooLong(path.child('message'), messageBytesMax));
}
