// Conditions in the status of flow control objects: only their types are checked.

import { duplicate, type FieldError, FieldPath, required } from '@homeostat/machinery';

const path = new FieldPath('status.conditions');

export function validateFlowConditions(
  conditions: readonly { readonly type?: string }[] | undefined,
  errors: FieldError[],
): void {
  const seen = new Set<string>();
  for (const [index, { type = '' }] of (conditions ?? []).entries()) {
    if (seen.has(type)) errors.push(duplicate(path.index(index).child('type'), type));
    seen.add(type);
    if (type === '') errors.push(required(path.index(index).child('type')));
  }
}
