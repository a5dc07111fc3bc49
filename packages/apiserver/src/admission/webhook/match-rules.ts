// Whether a webhook's rules name a request: operation, group, version, resource with subresource, and scope, each with
// its wildcards (spec/apiserver.md §15.3).

import type { RuleWithOperations } from '@homeostat/api/types/admissionregistration-v1';
import type { GroupVersionKind, GroupVersionResource } from '@homeostat/machinery';
import type { AdmissionOperation } from '../../server/admission.ts';

/** What rules look at. */
export interface RuleSubject {
  readonly operation: AdmissionOperation;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  /** Empty for cluster-scoped objects; the object's own name for Namespaces. */
  readonly namespace: string;
}

export function ruleMatches(rule: RuleWithOperations, subject: RuleSubject): boolean {
  const { operation, resource } = subject;
  return (
    scopeMatches(rule.scope ?? '*', subject) &&
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((text) => resourceMatches(text, subject))
  );
}

function includes(list: readonly string[] | undefined, wanted: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(wanted));
}

/** `pods`, `pods/status`, `pods/*` (with the resource itself), `*`, `*\/scale`, `*\/*`. */
function resourceMatches(text: string, { resource, subresource }: RuleSubject): boolean {
  const slash = text.indexOf('/');
  const wanted = slash < 0 ? text : text.slice(0, slash);
  const wantedSub = slash < 0 ? '' : text.slice(slash + 1);
  return (wanted === '*' || wanted === resource.resource) && (wantedSub === '*' || wantedSub === subresource);
}

function scopeMatches(scope: string, { resource, namespace }: RuleSubject): boolean {
  if (scope === '*') return true;
  // Requests about a Namespace carry its name as their namespace, but the object is cluster-scoped.
  const isCluster = isNamespaces(resource) || namespace === '';
  return scope === 'Cluster' ? isCluster : scope === 'Namespaced' && !isCluster;
}

export function isNamespaces({ group, resource }: GroupVersionResource): boolean {
  return group === '' && resource === 'namespaces';
}

const exemptKinds = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** Objects that configure admission are never subject to it: a broken webhook could not be removed. */
export function isExempt({ group, kind }: GroupVersionKind): boolean {
  return group === 'admissionregistration.k8s.io' && exemptKinds.has(kind);
}
