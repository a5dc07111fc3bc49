// matchLabelKeys and mismatchLabelKeys of affinity terms and spread constraints, which the API server merges into the
// label selector at create.

import { type FieldError, type FieldPath, forbidden, invalid } from '@homeostat/machinery';
import { type LabelSelectorLike, validateLabelName } from '../rules/labels.ts';
import { sortedKeys } from '../rules/values.ts';

export interface LabelKeys {
  readonly labelSelector?: LabelSelectorLike;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/** Keys against a selector into which they have been merged already. */
export function validateMatchLabelKeys(term: LabelKeys, path: FieldPath, errors: FieldError[]): void {
  const match = term.matchLabelKeys ?? [];
  const mismatch = term.mismatchLabelKeys ?? [];
  validateKeys(match, term.labelSelector, path.child('matchLabelKeys'), errors);
  validateKeys(mismatch, term.labelSelector, path.child('mismatchLabelKeys'), errors);
  if (term.labelSelector !== undefined) {
    const indexes = new Map(match.map((key, index) => [key, index]));
    const seen = new Set(sortedKeys(term.labelSelector.matchLabels));
    for (const { key = '' } of term.labelSelector.matchExpressions ?? []) {
      const index = indexes.get(key);
      // The merged requirement is one occurrence; a second one was there before.
      if (index !== undefined && seen.has(key)) {
        errors.push(invalid(path.index(index), key, 'exists in both matchLabelKeys and labelSelector'));
      }
      seen.add(key);
    }
  }
  for (const [index, key] of match.entries()) {
    if (mismatch.includes(key)) {
      errors.push(
        invalid(path.child('matchLabelKeys').index(index), key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
      );
    }
  }
}

/** Keys of a constraint whose selector was stored before merging was introduced. */
export function validateUnmergedMatchLabelKeys(term: LabelKeys, path: FieldPath, errors: FieldError[]): void {
  const match = term.matchLabelKeys ?? [];
  if (match.length === 0) return;
  const selector = term.labelSelector;
  if (selector === undefined) errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  const selected = new Set([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map(({ key = '' }) => key),
  ]);
  for (const [index, key] of match.entries()) {
    validateLabelName(key, path.index(index), errors);
    if (selected.has(key))
      errors.push(invalid(path.index(index), key, 'exists in both matchLabelKeys and labelSelector'));
  }
}

function validateKeys(
  keys: readonly string[],
  selector: LabelSelectorLike | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (keys.length === 0) return;
  if (selector === undefined) {
    errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
    return;
  }
  for (const [index, key] of keys.entries()) validateLabelName(key, path.index(index), errors);
}
