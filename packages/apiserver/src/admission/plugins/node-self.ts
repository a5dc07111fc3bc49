// NodeRestriction's rules about the Node object: its kubelet keeps it, but can't use it to attract Pods (taints, protected
// labels) or to hang it on something else (owners).

import type { Node } from '@homeostat/api/types/core-v1';
import { deepEqual, type Json } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';

/** Labels of the Kubernetes domains that kubelets may set. */
const kubeletLabels = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);
const kubeletDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const protectedDomain = 'node-restriction.kubernetes.io';

export function restrictNode(node: string, attributes: AdmissionAttributes): void {
  const { name, operation } = attributes;
  const refuse = (text: string): never => {
    throw newAdmissionForbidden(attributes, text);
  };
  const requested = name || (attributes.object?.metadata?.name ?? '');
  if (requested !== node) refuse(`node "${node}" is not allowed to modify node "${requested}"`);
  if (operation === 'DELETE') return;
  const wanted = attributes.object as Node;
  const old = attributes.oldObject as Node | undefined;
  const { configSource } = wanted.spec ?? {};
  if (operation === 'CREATE') {
    if (configSource !== undefined) refuse(`node "${node}" is not allowed to create pods with a non-nil configSource`);
    const labels = forbiddenLabels(wanted, undefined);
    if (labels.length > 0) {
      refuse(`node "${node}" is not allowed to set the following labels: ${labels.join(', ')}`);
    }
    return;
  }
  if (configSource !== undefined && !same(configSource, old?.spec?.configSource ?? null)) {
    refuse(`node "${node}" is not allowed to update configSource to a new non-nil configSource`);
  }
  if (!same(wanted.spec?.taints ?? [], old?.spec?.taints ?? []))
    refuse(`node "${node}" is not allowed to modify taints`);
  if (!same(wanted.metadata?.ownerReferences ?? [], old?.metadata?.ownerReferences ?? [])) {
    refuse(`node "${node}" is not allowed to modify ownerReferences`);
  }
  const labels = forbiddenLabels(wanted, old);
  if (labels.length > 0) refuse(`is not allowed to modify labels: ${labels.join(', ')}`);
}

/** Changed labels that kubelets may not change, sorted. */
function forbiddenLabels(wanted: Node, old: Node | undefined): readonly string[] {
  const after = wanted.metadata?.labels ?? {};
  const before = old?.metadata?.labels ?? {};
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].filter((key) => after[key] !== before[key] && isForbidden(key)).sort();
}

function isForbidden(label: string): boolean {
  const slash = label.indexOf('/');
  const domain = slash === -1 ? '' : label.slice(0, slash);
  if (isWithin(domain, protectedDomain)) return true;
  if (!isWithin(domain, 'kubernetes.io') && !isWithin(domain, 'k8s.io')) return false;
  return !kubeletLabels.has(label) && !kubeletDomains.some((each) => isWithin(domain, each));
}

function isWithin(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

function same(a: unknown, b: unknown): boolean {
  return deepEqual(a as Json, b as Json);
}
