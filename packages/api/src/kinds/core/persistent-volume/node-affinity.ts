// The node affinity of a volume stays, but labels may be renamed from their beta to their final names.

import { type FieldError, type FieldPath, invalid } from '@homeostat/machinery';
import type { NodeSelectorRequirement, VolumeNodeAffinity } from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import { toGoStruct } from '../../rules/go-struct.ts';
import { immutableText } from '../../rules/values.ts';
import { semanticEqual } from '../../semantic-equal.ts';

const finalNames: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

const affinitySchema = structByName('io.k8s.api.core.v1.VolumeNodeAffinity');

export function validateNodeAffinityUpdate(
  affinity: VolumeNodeAffinity | undefined,
  old: VolumeNodeAffinity | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (old === undefined || sameAffinity(affinity, old)) return;
  const text = `${immutableText}, except for updating from beta label to GA`;
  errors.push(invalid(path, toGoStruct(affinity, affinitySchema), text));
}

function sameAffinity(affinity: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity): boolean {
  const terms = affinity?.required?.nodeSelectorTerms ?? [];
  const oldTerms = old.required?.nodeSelectorTerms ?? [];
  if (affinity === undefined || terms.length !== oldTerms.length) return false;
  return terms.every(
    (term, index) =>
      sameRequirements(term.matchExpressions, oldTerms[index]?.matchExpressions) &&
      sameRequirements(term.matchFields, oldTerms[index]?.matchFields),
  );
}

type Requirements = readonly NodeSelectorRequirement[] | undefined;

function sameRequirements(now: Requirements, old: Requirements): boolean {
  const list = now ?? [];
  const before = old ?? [];
  return (
    list.length === before.length &&
    list.every((requirement, index) => {
      const former = before[index];
      if (former === undefined) return false;
      const renamed = finalNames.get(former.key) === requirement.key ? { ...former, key: requirement.key } : former;
      return semanticEqual(requirement, renamed);
    })
  );
}
