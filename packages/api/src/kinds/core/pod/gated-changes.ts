// While scheduling gates hold a Pod back, its placement may be narrowed: labels added to the node selector, requirements
// added to the terms of the required node affinity.

import { type FieldError, type FieldPath, invalid, type Mutable } from '@homeostat/machinery';
import type { NodeAffinity, NodeSelectorTerm, PodSpec } from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import { toGoStruct } from '../../rules/go-struct.ts';
import { own, sortedKeys } from '../../rules/values.ts';
import { semanticEqual } from '../../semantic-equal.ts';

const termSchema = structByName('io.k8s.api.core.v1.NodeSelectorTerm');

/** Checks the changes of placement that gates allow, and puts the old placement back in `spec` for further comparison. */
export function withoutGatedChanges(spec: Mutable<PodSpec>, old: PodSpec, path: FieldPath, errors: FieldError[]): void {
  if (!semanticEqual(spec.nodeSelector, old.nodeSelector)) {
    validateSelector(spec.nodeSelector, old.nodeSelector, path.child('nodeSelector'), errors);
    if (old.nodeSelector === undefined) delete spec.nodeSelector;
    else spec.nodeSelector = old.nodeSelector;
  }
  const affinity = spec.affinity?.nodeAffinity as NodeAffinity | undefined;
  const oldAffinity = old.affinity?.nodeAffinity;
  if (semanticEqual(affinity, oldAffinity)) return;
  validateAffinity(affinity, oldAffinity, path.child('affinity', 'nodeAffinity'), errors);
  const { nodeAffinity: _, ...rest } = spec.affinity ?? {};
  const onlyNodes = Object.keys(rest).length === 0;
  if (oldAffinity !== undefined) spec.affinity = { ...rest, nodeAffinity: oldAffinity as Mutable<NodeAffinity> };
  else if (onlyNodes && old.affinity === undefined) delete spec.affinity;
  else spec.affinity = rest;
}

function validateSelector(
  selector: PodSpec['nodeSelector'],
  old: PodSpec['nodeSelector'],
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const key of sortedKeys(old)) {
    if (own(selector, key) === own(old, key)) continue;
    const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    errors.push(invalid(path, selector ?? null, text));
    return;
  }
}

function validateAffinity(
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const required = old?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return;
  const oldTerms = required.nodeSelectorTerms ?? [];
  const terms = affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const at = path.child('requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  if (oldTerms.length > 0 && oldTerms.length !== (terms ?? []).length) {
    const text = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    errors.push(invalid(at, terms?.map((term) => toGoStruct(term, termSchema)) ?? null, text));
    return;
  }
  for (const [index, oldTerm] of oldTerms.entries()) {
    const term = terms?.[index] ?? {};
    if (hasOnlyAdditions(term, oldTerm)) continue;
    const text = 'only additions are allowed (no mutations or deletions)';
    errors.push(invalid(at.index(index), toGoStruct(term, termSchema), text));
  }
}

/** An empty term matches nothing; requirements added to it would make it match something. */
function hasOnlyAdditions(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const parts = ['matchExpressions', 'matchFields'] as const;
  if (parts.every((part) => (old[part] ?? []).length === 0))
    return parts.every((part) => (term[part] ?? []).length === 0);
  return parts.every((part) => {
    const before = old[part] ?? [];
    const now = term[part] ?? [];
    return now.length >= before.length && semanticEqual(now.slice(0, before.length), before);
  });
}
