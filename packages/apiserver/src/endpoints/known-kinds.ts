// What upstream's type registry would say of a body's kind: unknown, known but of another type, or of a version that the
// endpoint does not take. Texts of spec/apiserver.md §2.6.

import { kindsOf, knownApiVersions } from '@homeostat/api';
import { type GroupVersionKind, newBadRequest, parseApiVersion, toApiVersion } from '@homeostat/machinery';

/** Versions that upstream still knows and no longer serves: their objects decode, and are then refused by version. */
const retired = new Set([
  'extensions/v1beta1',
  'apps/v1beta1',
  'apps/v1beta2',
  'autoscaling/v2beta1',
  'autoscaling/v2beta2',
  'batch/v1beta1',
  'certificates.k8s.io/v1beta1',
  'coordination.k8s.io/v1beta1',
  'discovery.k8s.io/v1beta1',
  'events.k8s.io/v1beta1',
  'networking.k8s.io/v1beta1',
  'node.k8s.io/v1alpha1',
  'node.k8s.io/v1beta1',
  'policy/v1beta1',
  'rbac.authorization.k8s.io/v1alpha1',
  'rbac.authorization.k8s.io/v1beta1',
  'scheduling.k8s.io/v1alpha1',
  'scheduling.k8s.io/v1beta1',
  'storage.k8s.io/v1alpha1',
  'storage.k8s.io/v1beta1',
  'admissionregistration.k8s.io/v1alpha1',
  'admissionregistration.k8s.io/v1beta1',
  'authentication.k8s.io/v1beta1',
  'authorization.k8s.io/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta1',
  'flowcontrol.apiserver.k8s.io/v1beta2',
  'flowcontrol.apiserver.k8s.io/v1beta3',
  'resource.k8s.io/v1beta1',
  'resource.k8s.io/v1beta2',
]);

/** What the type registry says of a body of one kind where another is expected; undefined when it can be taken. */
export type KindProblem =
  /** Known under another version of the same kind. */
  | { readonly type: 'version'; readonly text: string }
  /** Not known at all. */
  | { readonly type: 'unknown'; readonly text: string }
  /** Known, of another type: it decodes, and then can't be converted. */
  | { readonly type: 'other'; readonly text: string };

export function kindProblem(actual: GroupVersionKind, expected: GroupVersionKind): KindProblem | undefined {
  if (actual.kind === expected.kind && actual.version === expected.version && actual.group === expected.group)
    return undefined;
  const apiVersion = toApiVersion(actual);
  const versionText = `the API version in the data (${apiVersion}) does not match the expected API version (${toApiVersion(expected)})`;
  if (retired.has(apiVersion) && actual.kind === expected.kind) return { type: 'version', text: versionText };
  if (!isKnown(actual)) {
    const text = `no kind ${JSON.stringify(actual.kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`;
    return { type: 'unknown', text };
  }
  if (actual.kind === expected.kind && internalName(actual.group) === internalName(expected.group)) {
    return { type: 'version', text: versionText };
  }
  const text = `converting (${actual.version}.${actual.kind}) to (${internalName(expected.group)}.${expected.kind}): unknown conversion`;
  return { type: 'other', text };
}

/** The refusal of a body of the wrong kind; undefined when it can be taken. */
export function refuseKind(actual: GroupVersionKind, expected: GroupVersionKind): Error | undefined {
  const problem = kindProblem(actual, expected);
  if (problem === undefined) return undefined;
  if (problem.type === 'version') return newBadRequest(problem.text);
  const cannot = `${actual.kind} in version ${JSON.stringify(actual.version)} cannot be handled as a ${expected.kind}`;
  return newBadRequest(`${cannot}: ${problem.text}`);
}

function isKnown(gvk: GroupVersionKind): boolean {
  return knownApiVersions().includes(toApiVersion(gvk)) && kindsOf(gvk).includes(gvk.kind);
}

/** Name of upstream's internal package of a group. */
export function internalName(group: string): string {
  if (group === '' || group === 'events.k8s.io') return 'core';
  return group.split('.')[0] ?? group;
}

export function gvkOf(apiVersion: string, kind: string, defaults: GroupVersionKind): GroupVersionKind {
  const gv = apiVersion === '' ? defaults : parseApiVersion(apiVersion);
  return { group: gv.group, version: gv.version, kind: kind === '' ? defaults.kind : kind };
}
