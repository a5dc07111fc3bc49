// Conditions under which a webhook or a policy is asked at all. Whether an expression compiles is checked where
// expressions are evaluated.

import type { MatchCondition } from '@homeostat/api/types/admissionregistration-v1';
import { duplicate, type FieldError, type FieldPath, isQualifiedName, required, tooMany } from '@homeostat/machinery';
import { pushInvalid } from '../rules/values.ts';

const conditionsMax = 64;

export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  path: FieldPath,
  errors: FieldError[],
): void {
  if (conditions.length > conditionsMax) errors.push(tooMany(path, conditions.length, conditionsMax));
  const names = new Set<string>();
  for (const [index, { name = '', expression = '' }] of conditions.entries()) {
    const at = path.index(index);
    if (expression.trim() === '') errors.push(required(at.child('expression')));
    if (name === '') {
      errors.push(required(at.child('name')));
      continue;
    }
    pushInvalid(isQualifiedName(name), name, at.child('name'), errors);
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
  }
}
