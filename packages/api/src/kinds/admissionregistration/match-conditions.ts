// Conditions under which a webhook or a policy is asked at all.

import type { MatchCondition } from '@homeostat/api/types/admissionregistration-v1';
import { duplicate, type FieldError, type FieldPath, isQualifiedName, required, tooMany } from '@homeostat/machinery';
import type { AdmissionExpressions } from './expression-checks.ts';
import { pushInvalid } from '../rules/values.ts';

const conditionsMax = 64;

export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  path: FieldPath,
  errors: FieldError[],
  expressions: AdmissionExpressions | undefined,
): void {
  if (conditions.length > conditionsMax) errors.push(tooMany(path, conditions.length, conditionsMax));
  const names = new Set<string>();
  for (const [index, { name = '', expression = '' }] of conditions.entries()) {
    const at = path.index(index);
    const trimmed = expression.trim();
    if (trimmed === '') errors.push(required(at.child('expression')));
    else expressions?.check(trimmed, ['bool'], at.child('expression'), errors);
    if (name === '') {
      errors.push(required(at.child('name')));
      continue;
    }
    pushInvalid(isQualifiedName(name), name, at.child('name'), errors);
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
  }
}
