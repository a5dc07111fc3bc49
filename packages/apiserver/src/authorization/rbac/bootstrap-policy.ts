// The RBAC objects of a fresh cluster, built from the tables beside this file (spec/apiserver.md §17.1). What is done
// with them at start is in `reconcile-policy.ts`.

import type { KubeObject } from '@homeostat/machinery';
import { clusterRoleBindings, roleBindings, roles } from './bootstrap-bindings.ts';
import { clusterRoles } from './bootstrap-cluster-roles.ts';
import { controllerRoles } from './bootstrap-controller-roles.ts';
import { type CompactRole, parseCompactRule } from './compact-rule.ts';
import type { PolicyRule, Subject } from './policy-rule.ts';
import type { BindingObject, RbacResource, RoleObject } from './rbac-policy.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const apiVersion = `${apiGroup}/v1`;
const aggregatePrefix = `${apiGroup}/aggregate-to-`;
const controllerPrefix = 'system:controller:';

export const autoupdateAnnotation = 'rbac.authorization.kubernetes.io/autoupdate';

/** A ClusterRole that may collect the rules of others. */
export interface AggregatedRoleObject extends RoleObject {
  readonly aggregationRule?: {
    readonly clusterRoleSelectors: readonly { readonly matchLabels: Readonly<Record<string, string>> }[];
  };
}

/** One default object and where it belongs. */
export type DefaultPolicyObject =
  | { readonly resource: 'clusterroles' | 'roles'; readonly object: AggregatedRoleObject }
  | { readonly resource: 'clusterrolebindings' | 'rolebindings'; readonly object: BindingObject };

/** All default objects, roles before bindings. */
export function defaultPolicy(): readonly DefaultPolicyObject[] {
  const objects: DefaultPolicyObject[] = [];
  for (const [name, role] of Object.entries(clusterRoles)) {
    objects.push({ resource: 'clusterroles', object: roleObject('ClusterRole', '', name, role) });
  }
  for (const [name, role] of Object.entries(controllerRoles)) {
    objects.push({
      resource: 'clusterroles',
      object: roleObject('ClusterRole', '', `${controllerPrefix}${name}`, role),
    });
  }
  for (const [key, role] of Object.entries(roles)) {
    const [namespace = '', name = ''] = splitKey(key);
    objects.push({ resource: 'roles', object: roleObject('Role', namespace, name, role) });
  }
  for (const [name, subjects] of Object.entries(clusterRoleBindings)) {
    objects.push({ resource: 'clusterrolebindings', object: bindingObject({ name, role: name, subjects }) });
  }
  for (const account of Object.keys(controllerRoles)) {
    const name = `${controllerPrefix}${account}`;
    const subjects = [`ServiceAccount kube-system/${account}`];
    objects.push({ resource: 'clusterrolebindings', object: bindingObject({ name, role: name, subjects }) });
  }
  for (const [key, { role, subjects }] of Object.entries(roleBindings)) {
    const [namespace = '', name = ''] = splitKey(key);
    objects.push({ resource: 'rolebindings', object: bindingObject({ namespace, name, role, subjects }) });
  }
  return objects;
}

/** The rules every node holds, for the node authorizer. */
export function nodeRules(): readonly PolicyRule[] {
  return (clusterRoles['system:node']?.rules ?? []).map(parseCompactRule);
}

/** Path of the collection an RBAC object lives in. */
export function policyPath(resource: RbacResource, namespace = ''): string {
  return namespace === ''
    ? `/apis/${apiVersion}/${resource}`
    : `/apis/${apiVersion}/namespaces/${namespace}/${resource}`;
}

function metadata(
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): KubeObject['metadata'] {
  return {
    name,
    ...(namespace === '' ? {} : { namespace }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { [autoupdateAnnotation]: 'true' },
  };
}

function roleObject(kind: string, namespace: string, name: string, role: CompactRole): AggregatedRoleObject {
  const labels = role.partOf === undefined ? {} : { [aggregatePrefix + role.partOf]: 'true' };
  const rules = role.rules === undefined ? null : role.rules.map(parseCompactRule);
  const selector = { matchLabels: { [aggregatePrefix + (role.aggregates ?? '')]: 'true' } };
  return {
    apiVersion,
    kind,
    metadata: metadata(namespace, name, labels),
    rules,
    ...(role.aggregates === undefined ? {} : { aggregationRule: { clusterRoleSelectors: [selector] } }),
  } as AggregatedRoleObject;
}

interface BindingFacts {
  readonly namespace?: string;
  readonly name: string;
  readonly role: string;
  readonly subjects: readonly string[];
}

function bindingObject({ namespace = '', name, role, subjects }: BindingFacts): BindingObject {
  const cluster = namespace === '';
  return {
    apiVersion,
    kind: cluster ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: metadata(namespace, name),
    ...(subjects.length === 0 ? {} : { subjects: subjects.map(parseSubject) }),
    roleRef: { apiGroup, kind: cluster ? 'ClusterRole' : 'Role', name: role },
  } as BindingObject;
}

function parseSubject(text: string): Subject {
  const space = text.indexOf(' ');
  const kind = text.slice(0, space);
  const name = text.slice(space + 1);
  if (kind !== 'ServiceAccount') return { kind, apiGroup, name };
  const [namespace = '', account = ''] = splitKey(name);
  return { kind, name: account, namespace };
}

function splitKey(key: string): string[] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
}
