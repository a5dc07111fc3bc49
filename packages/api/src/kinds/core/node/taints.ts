// Taints: valid keys, values and effects, each key and effect once.

import { duplicate, type FieldError, type FieldPath, invalid, isLabelValue } from '@homeostat/machinery';
import type { Taint } from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import { validateTaintEffect } from '../../pod-spec/tolerations.ts';
import { toGoStruct } from '../../rules/go-struct.ts';
import { validateLabelName } from '../../rules/labels.ts';

const taintSchema = structByName('io.k8s.api.core.v1.Taint');

export function validateTaints(taints: readonly Taint[] | undefined, path: FieldPath, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [index, taint] of (taints ?? []).entries()) {
    const at = path.index(index);
    const key = taint.key ?? '';
    const value = taint.value ?? '';
    const effect: string = taint.effect ?? '';
    validateLabelName(key, at.child('key'), errors);
    const texts = isLabelValue(value);
    if (texts.length > 0) errors.push(invalid(at.child('value'), value, texts.join(';')));
    validateTaintEffect(effect, at.child('effect'), errors);
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) {
      const error = duplicate(at, toGoStruct(taint, taintSchema));
      errors.push({ ...error, body: `${error.body}: taints must be unique by key and effect pair` });
    }
    seen.add(pair);
  }
}
