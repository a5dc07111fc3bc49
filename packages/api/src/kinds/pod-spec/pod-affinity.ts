// Affinity and anti-affinity between Pods.

import { type FieldError, type FieldPath, required } from '@homeostat/machinery';
import type { Affinity, PodAffinity, PodAffinityTerm, PodAntiAffinity } from '@homeostat/api/types/core-v1';
import { validateLabelName, validateLabelSelector } from '../rules/labels.ts';
import { nameIsDnsLabel } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';
import { validateMatchLabelKeys } from './match-label-keys.ts';
import { validateNodeAffinity, validateWeight } from './node-affinity.ts';
import type { PodSpecOptions } from './options.ts';

export function validateAffinity(
  affinity: Affinity | undefined,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  if (affinity?.nodeAffinity !== undefined) {
    validateNodeAffinity(
      affinity.nodeAffinity,
      options.allowInvalidNodeAffinityValues,
      path.child('nodeAffinity'),
      errors,
    );
  }
  for (const side of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = affinity?.[side];
    if (terms !== undefined) validateSide(terms, options.allowInvalidSelectorValues, path.child(side), errors);
  }
}

function validateSide(
  side: PodAffinity | PodAntiAffinity,
  allowInvalidValues: boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  const needed = path.child('requiredDuringSchedulingIgnoredDuringExecution');
  for (const [index, term] of (side.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    validateTerm(term, allowInvalidValues, needed.index(index), errors);
  }
  const wanted = path.child('preferredDuringSchedulingIgnoredDuringExecution');
  for (const [index, weighted] of (side.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    const at = wanted.index(index);
    validateWeight(weighted.weight ?? 0, at.child('weight'), errors);
    validateTerm(
      weighted.podAffinityTerm ?? { topologyKey: '' },
      allowInvalidValues,
      at.child('podAffinityTerm'),
      errors,
    );
  }
}

function validateTerm(term: PodAffinityTerm, allowInvalidValues: boolean, path: FieldPath, errors: FieldError[]): void {
  validateLabelSelector(term.labelSelector, path.child('labelSelector'), errors, { allowInvalidValues });
  validateLabelSelector(term.namespaceSelector, path.child('namespaceSelector'), errors, { allowInvalidValues });
  for (const name of term.namespaces ?? [])
    pushInvalid(nameIsDnsLabel(name, false), name, path.child('namespace'), errors);
  validateMatchLabelKeys(term, path, errors);
  const key = term.topologyKey ?? '';
  if (key === '') errors.push(required(path.child('topologyKey'), 'can not be empty'));
  validateLabelName(key, path.child('topologyKey'), errors);
}
