// No one grants what they do not hold: refuses Roles and bindings that give more than their writer has, unless the
// writer may `escalate` the role or `bind` the role referred to (spec/apiserver.md §17). Runs as the last step of the
// mutating pass; it changes nothing itself.

import type { ApiError } from '@homeostat/base';
import { type KubeObject, newForbidden, newNotFound, quote } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';
import type { User } from '../../server/user.ts';
import { privilegedGroup } from '../privileged-group.ts';
import type { AggregatedRoleObject } from './bootstrap-policy.ts';
import type { PolicyRule, RoleRef } from './policy-rule.ts';
import { joinErrors } from './rbac-authorizer.ts';
import type { BindingObject, RbacPolicy, RoleObject } from './rbac-policy.ts';
import { describeMissingRules, formatQuotedList, uncoveredRules } from './rule-coverage.ts';

const group = 'rbac.authorization.k8s.io';
const roleResources = new Set(['roles', 'clusterroles']);
const bindingResources = new Set(['rolebindings', 'clusterrolebindings']);
const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export class EscalationCheck implements AdmissionPlugin {
  readonly name = 'RBACEscalationCheck';
  readonly #policy: RbacPolicy;
  readonly #authorizer: Authorizer;

  constructor(policy: RbacPolicy, authorizer: Authorizer) {
    this.#policy = policy;
    this.#authorizer = authorizer;
  }

  handles(operation: AdmissionOperation): boolean {
    return operation === 'CREATE' || operation === 'UPDATE';
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const { resource, subresource, user } = attributes;
    if (resource.group !== group || subresource !== '' || attributes.object === undefined) return;
    if (user.groups.includes(privilegedGroup) || onlyGarbageCollection(attributes)) return;
    if (roleResources.has(resource.resource)) await this.#checkRole(attributes);
    else if (bindingResources.has(resource.resource)) await this.#checkBinding(attributes);
  }

  async #checkRole(attributes: AdmissionAttributes): Promise<void> {
    if (await this.#mayEscalate(attributes)) return;
    const object = attributes.object as RoleObject;
    const denial = this.#denial(attributes, object.rules ?? []);
    if (denial !== undefined) throw denial;
    // An aggregated role grants whatever its selectors will find: its writer must hold everything.
    const aggregates = hasAggregationRule(object) || hasAggregationRule(attributes.oldObject);
    if (aggregates && this.#denial(attributes, fullAuthority) !== undefined) {
      throw this.#forbidden(attributes, 'must have cluster-admin privileges to use the aggregationRule');
    }
  }

  async #checkBinding(attributes: AdmissionAttributes): Promise<void> {
    const { roleRef } = attributes.object as unknown as BindingObject;
    if (await this.#mayBind(attributes, roleRef)) return;
    const rules = this.#policy.rulesOfRole(roleRef, attributes.namespace);
    if ('missing' in rules) {
      throw newNotFound({ group, resource: attributes.resource.resource }, roleRef.name);
    }
    const denial = this.#denial(attributes, rules);
    if (denial !== undefined) throw denial;
  }

  #denial(attributes: AdmissionAttributes, rules: readonly PolicyRule[]): ApiError | undefined {
    const { user, namespace } = attributes;
    const held: PolicyRule[] = [];
    const errors: string[] = [];
    for (const visit of this.#policy.rulesFor(user, namespace)) {
      if ('missing' in visit) errors.push(visit.missing);
      else held.push(visit.rule);
    }
    const missing = uncoveredRules(held, rules);
    if (missing.length === 0) return undefined;
    const tail = errors.length === 0 ? '' : `; resolution errors: [${joinErrors(errors)}]`;
    return this.#forbidden(
      attributes,
      `user ${quote(user.username)} (groups=${formatQuotedList(user.groups)}) is attempting to grant RBAC ` +
        `permissions not currently held:\n${describeMissingRules(missing)}${tail}`,
    );
  }

  #forbidden(attributes: AdmissionAttributes, text: string): ApiError {
    const { resource } = attributes.resource;
    return newForbidden({ group, resource }, attributes.object?.metadata?.name ?? '', text);
  }

  #mayEscalate(attributes: AdmissionAttributes): Promise<boolean> {
    // A POST has no name in its path, so a rule with resourceNames never allows it.
    const posted = attributes.options?.['kind'] === 'CreateOptions';
    return this.#allows(attributes.user, {
      verb: 'escalate',
      resource: attributes.resource.resource,
      namespace: attributes.namespace,
      name: posted ? '' : attributes.name,
    });
  }

  async #mayBind(attributes: AdmissionAttributes, roleRef: RoleRef): Promise<boolean> {
    const resource = roleRef.kind === 'Role' ? 'roles' : roleRef.kind === 'ClusterRole' ? 'clusterroles' : undefined;
    if (resource === undefined) return false;
    return this.#allows(attributes.user, {
      verb: 'bind',
      resource,
      namespace: attributes.namespace,
      name: roleRef.name,
    });
  }

  async #allows(
    user: User,
    what: { readonly verb: string; readonly resource: string; readonly namespace: string; readonly name: string },
  ): Promise<boolean> {
    const attributes = { user, isResourceRequest: true, path: '', group, version: '*', subresource: '', ...what };
    return (await this.#authorizer.authorize(attributes)).decision === 'allow';
  }
}

function hasAggregationRule(role: KubeObject | undefined): boolean {
  return ((role as AggregatedRoleObject | undefined)?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

/** Updates that change nothing beyond what lets the garbage collector finish (owner references, finalizers) grant nothing. */
function onlyGarbageCollection(attributes: AdmissionAttributes): boolean {
  if (attributes.oldObject === undefined || attributes.object === undefined) return false;
  return comparable(attributes.object) === comparable(attributes.oldObject);
}

function comparable(object: KubeObject): string {
  const {
    ownerReferences: _owners,
    finalizers: _finalizers,
    managedFields: _managed,
    ...metadata
  } = object.metadata ?? {};
  return JSON.stringify({ ...object, metadata });
}
