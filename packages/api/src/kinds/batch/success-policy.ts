// A Job's successPolicy: which indexes, or how many of them, are enough.

import type { SuccessPolicy, SuccessPolicyRule } from '@homeostat/api/types/batch-v1';
import { type FieldError, type FieldPath, invalid, required, tooLong, tooMany, utf8Length } from '@homeostat/machinery';
import type { GoField } from '../rules/go-form.ts';
import { validateNonnegative } from '../rules/values.ts';
import { countIndexes, IndexesError } from './indexes.ts';

const rulesMax = 20;
const indexesBytesMax = 64 * 1024;

export const successPolicyForm: readonly GoField[] = [
  [
    'Rules',
    'rules',
    null,
    [
      ['SucceededIndexes', 'succeededIndexes', null],
      ['SucceededCount', 'succeededCount', null],
    ],
  ],
];

export function validateSuccessPolicy(
  policy: SuccessPolicy,
  completions: number,
  path: FieldPath,
  errors: FieldError[],
): void {
  const rules = policy.rules ?? [];
  const at = path.child('rules');
  if (rules.length === 0) {
    errors.push(required(at, 'at least one rules must be specified when the successPolicy is specified'));
  }
  if (rules.length > rulesMax) errors.push(tooMany(at, rules.length, rulesMax));
  for (const [index, rule] of rules.entries()) validateRule(rule, completions, at.index(index), errors);
}

function validateRule(rule: SuccessPolicyRule, completions: number, path: FieldPath, errors: FieldError[]): void {
  const { succeededIndexes, succeededCount } = rule;
  if (succeededIndexes === undefined && succeededCount === undefined) {
    errors.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total = 0;
  if (succeededIndexes !== undefined) {
    const at = path.child('succeededIndexes');
    if (utf8Length(succeededIndexes) > indexesBytesMax) errors.push(tooLong(at, indexesBytesMax));
    try {
      total = countIndexes(succeededIndexes, completions);
    } catch (error) {
      if (!(error instanceof IndexesError)) throw error;
      errors.push(invalid(at, succeededIndexes, `error parsing succeededIndexes: ${error.message}`));
    }
  }
  if (succeededCount === undefined) return;
  const at = path.child('succeededCount');
  const less = 'must be less than or equal to';
  validateNonnegative(succeededCount, at, errors);
  if (succeededCount > completions) {
    errors.push(invalid(at, succeededCount, `${less} ${completions} (the number of specified completions)`));
  }
  if (succeededIndexes !== undefined && succeededCount > total) {
    const text = `${less} ${total} (the number of indexes in the specified succeededIndexes field)`;
    errors.push(invalid(at, succeededCount, text));
  }
}
