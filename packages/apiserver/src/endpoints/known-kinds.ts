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

/** Why a body of one kind can't be taken where another is expected; undefined when it can. */
export function refuseKind(actual: GroupVersionKind, expected: GroupVersionKind): Error | undefined {
  if (actual.kind === expected.kind && actual.version === expected.version && actual.group === expected.group) return undefined;
  const cannot = `${actual.kind} in version ${JSON.stringify(actual.version)} cannot be handled as a ${expected.kind}`;
  const apiVersion = toApiVersion(actual);
  if (retired.has(apiVersion) && actual.kind === expected.kind) {
    return newBadRequest(versionMismatch(apiVersion, toApiVersion(expected)));
  }
  if (!isKnown(actual)) {
    return newBadRequest(
      `${cannot}: no kind ${JSON.stringify(actual.kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`,
    );
  }
  if (actual.kind === expected.kind && internalName(actual.group) === internalName(expected.group)) {
    return newBadRequest(versionMismatch(apiVersion, toApiVersion(expected)));
  }
  return newBadRequest(
    `${cannot}: converting (${actual.version}.${actual.kind}) to (${internalName(expected.group)}.${expected.kind}): unknown conversion`,
  );
}

function versionMismatch(actual: string, expected: string): string {
  return `the API version in the data (${actual}) does not match the expected API version (${expected})`;
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
