// Readiness gates (conditions that must hold for a Pod to be ready) and scheduling gates (what holds scheduling back).

import { duplicate, type FieldError, type FieldPath, forbidden, isQualifiedName } from '@homeostat/machinery';
import type { PodReadinessGate, PodSchedulingGate } from '@homeostat/api/types/core-v1';
import { pushInvalid } from '../rules/values.ts';

export function validateReadinessGates(
  gates: readonly PodReadinessGate[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [index, { conditionType = '' }] of (gates ?? []).entries()) {
    pushInvalid(isQualifiedName(conditionType), conditionType, path.index(index).child('conditionType'), errors);
  }
}

export function validateSchedulingGates(
  gates: readonly PodSchedulingGate[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const names = new Set<string>();
  for (const [index, { name = '' }] of (gates ?? []).entries()) {
    pushInvalid(isQualifiedName(name), name, path.index(index), errors);
    if (names.has(name)) errors.push(duplicate(path.index(index), name));
    names.add(name);
  }
}

/** On update gates may only go. */
export function validateOnlyDeletedSchedulingGates(
  gates: readonly PodSchedulingGate[] | undefined,
  old: readonly PodSchedulingGate[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const before = new Set((old ?? []).map(({ name }) => name ?? ''));
  const added = new Map<string, number>();
  for (const [index, { name = '' }] of (gates ?? []).entries()) if (!before.has(name)) added.set(name, index);
  for (const [name, index] of added) {
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    errors.push(forbidden(path.index(index).child('name'), text));
  }
}
