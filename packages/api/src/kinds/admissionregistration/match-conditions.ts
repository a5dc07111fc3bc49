// Conditions under which a webhook or a policy is asked at all. Expressions that nobody compiles here are only
// checked for being there.

import type { MatchCondition } from '@homeostat/api/types/admissionregistration-v1';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  isQualifiedName,
  required,
  tooMany,
} from '@homeostat/machinery';
import { pushInvalid } from '../rules/values.ts';

const conditionsMax = 64;

export function validateMatchConditions(
  conditions: readonly MatchCondition[],
  path: FieldPath,
  errors: FieldError[],
  /** What is wrong with an expression, if anything. */
  problemOf: (expression: string) => string | undefined = () => undefined,
): void {
  if (conditions.length > conditionsMax) errors.push(tooMany(path, conditions.length, conditionsMax));
  const names = new Set<string>();
  for (const [index, { name = '', expression = '' }] of conditions.entries()) {
    const at = path.index(index);
    const trimmed = expression.trim();
    const problem = trimmed === '' ? undefined : problemOf(trimmed);
    if (trimmed === '') errors.push(required(at.child('expression')));
    else if (problem !== undefined) errors.push(invalid(at.child('expression'), trimmed, problem));
    if (name === '') {
      errors.push(required(at.child('name')));
      continue;
    }
    pushInvalid(isQualifiedName(name), name, at.child('name'), errors);
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
  }
}
