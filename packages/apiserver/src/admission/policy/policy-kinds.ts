// The kinds that no policy is about: one that forbids everything must still be removable.

import type { GroupVersionKind } from '@homeostat/machinery';

const kinds = new Set([
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

export function isPolicy({ group, kind }: GroupVersionKind): boolean {
  return group === 'admissionregistration.k8s.io' && kinds.has(kind);
}
