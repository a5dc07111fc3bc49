// The RBAC objects of the cluster, indexed by subject so that a request looks only at the bindings of its user
// (design law 13). Fed by whoever follows the four resources; read by the authorizer, the escalation check and the
// rules review. Holds no copy of the objects beyond references. Spec: spec/apiserver.md §17.

import { type KubeObject, quote } from '@homeostat/machinery';
import type { User } from '../../server/user.ts';
import type { PolicyRule, RoleRef, Subject } from './policy-rule.ts';

export interface RoleObject extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
}

export interface BindingObject extends KubeObject {
  readonly subjects?: readonly Subject[] | null;
  readonly roleRef: RoleRef;
}

export type RbacResource = 'roles' | 'clusterroles' | 'rolebindings' | 'clusterrolebindings';

/** One rule that applies to a user, or a role that could not be found. */
export type RuleVisit = { readonly rule: PolicyRule; readonly source: RuleSource } | { readonly missing: string };

/** The binding, and which of its subjects is the user. */
export interface RuleSource {
  readonly binding: BindingObject;
  readonly subject: Subject;
}

/** Bindings of one scope (the cluster, or one namespace) by subject. */
class BindingIndex {
  readonly byName = new Map<string, BindingObject>();
  readonly bySubject = new Map<string, Map<string, BindingObject>>();
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  set(name: string, binding: BindingObject): void {
    this.delete(name);
    this.byName.set(name, binding);
    for (const key of this.#keys(binding)) {
      let bindings = this.bySubject.get(key);
      if (bindings === undefined) this.bySubject.set(key, (bindings = new Map()));
      bindings.set(name, binding);
    }
  }

  delete(name: string): void {
    const old = this.byName.get(name);
    if (old === undefined) return;
    this.byName.delete(name);
    for (const key of this.#keys(old)) {
      const bindings = this.bySubject.get(key);
      bindings?.delete(name);
      if (bindings?.size === 0) this.bySubject.delete(key);
    }
  }

  #keys(binding: BindingObject): string[] {
    return (binding.subjects ?? []).flatMap((subject) => subjectKey(subject, this.#namespace) ?? []);
  }
}

/** The writer half is {@link RbacPolicy.set} and {@link RbacPolicy.delete}; everything else reads. */
export class RbacPolicy {
  readonly #clusterRoles = new Map<string, RoleObject>();
  readonly #roles = new Map<string, RoleObject>();
  readonly #clusterBindings = new BindingIndex('');
  readonly #bindings = new Map<string, BindingIndex>();

  /** Takes the newest version of an object. */
  set(resource: RbacResource, object: KubeObject): void {
    const name = object.metadata?.name ?? '';
    const namespace = object.metadata?.namespace ?? '';
    if (resource === 'clusterroles') this.#clusterRoles.set(name, object);
    else if (resource === 'roles') this.#roles.set(`${namespace}/${name}`, object);
    else if (resource === 'clusterrolebindings') this.#clusterBindings.set(name, object as BindingObject);
    else {
      let index = this.#bindings.get(namespace);
      if (index === undefined) this.#bindings.set(namespace, (index = new BindingIndex(namespace)));
      index.set(name, object as BindingObject);
    }
  }

  delete(resource: RbacResource, key: { readonly namespace: string; readonly name: string }): void {
    if (resource === 'clusterroles') this.#clusterRoles.delete(key.name);
    else if (resource === 'roles') this.#roles.delete(`${key.namespace}/${key.name}`);
    else if (resource === 'clusterrolebindings') this.#clusterBindings.delete(key.name);
    else {
      const index = this.#bindings.get(key.namespace);
      index?.delete(key.name);
      if (index?.byName.size === 0) this.#bindings.delete(key.namespace);
    }
  }

  /**
   * Yields the rules that apply to `user`: of the cluster's bindings, then of the namespace's (none when it is '').
   * Missing roles are yielded in their place.
   */
  *rulesFor(user: User, namespace: string): Generator<RuleVisit, void, undefined> {
    yield* this.#rulesOf(this.#clusterBindings, user, '');
    const index = namespace === '' ? undefined : this.#bindings.get(namespace);
    if (index !== undefined) yield* this.#rulesOf(index, user, namespace);
  }

  /** The rules of the role a binding points to, or the text that it is not there. */
  rulesOfRole(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | { readonly missing: string } {
    if (roleRef.kind === 'Role') {
      const role = this.#roles.get(`${namespace}/${roleRef.name}`);
      return role === undefined ? { missing: notFoundText('role', roleRef.name) } : (role.rules ?? []);
    }
    if (roleRef.kind === 'ClusterRole') {
      const role = this.#clusterRoles.get(roleRef.name);
      return role === undefined ? { missing: notFoundText('clusterrole', roleRef.name) } : (role.rules ?? []);
    }
    return { missing: `unsupported role reference kind: ${quote(roleRef.kind)}` };
  }

  *#rulesOf(index: BindingIndex, user: User, namespace: string): Generator<RuleVisit, void, undefined> {
    const found = new Map<string, BindingObject>();
    for (const key of userKeys(user)) {
      for (const [name, binding] of index.bySubject.get(key) ?? []) found.set(name, binding);
    }
    for (const binding of found.values()) {
      const rules = this.rulesOfRole(binding.roleRef, namespace);
      if ('missing' in rules) {
        yield rules;
        continue;
      }
      if (rules.length === 0) continue;
      const subject = (binding.subjects ?? []).find((each) => appliesTo(each, user, namespace));
      if (subject === undefined) continue;
      const source = { binding, subject };
      for (const rule of rules) yield { rule, source };
    }
  }
}

/** `RoleBinding "b/ns" of Role "r" to User "rita"` */
export function describeSource(source: RuleSource): string {
  const { binding, subject } = source;
  const namespace = binding.metadata?.namespace ?? '';
  const name = binding.metadata?.name ?? '';
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const title = namespace === '' ? name : `${name}/${namespace}`;
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `${kind} ${quote(title)} of ${binding.roleRef.kind} ${quote(binding.roleRef.name)} to ${subject.kind} ${quote(who)}`;
}

function notFoundText(resource: string, name: string): string {
  return `${resource}.rbac.authorization.k8s.io ${quote(name)} not found`;
}

function userKeys(user: User): string[] {
  const keys = [`u:${user.username}`];
  for (const group of user.groups) keys.push(`g:${group}`);
  return keys;
}

function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  if (subject.kind === 'User') return `u:${subject.name}`;
  if (subject.kind === 'Group') return `g:${subject.name}`;
  if (subject.kind !== 'ServiceAccount') return undefined;
  // A RoleBinding may leave out the namespace of a ServiceAccount of its own namespace.
  const namespace = subject.namespace || bindingNamespace;
  return namespace === '' ? undefined : `u:system:serviceaccount:${namespace}:${subject.name}`;
}

function appliesTo(subject: Subject, user: User, bindingNamespace: string): boolean {
  const key = subjectKey(subject, bindingNamespace);
  return key !== undefined && userKeys(user).includes(key);
}
