// Which requests a webhook or a policy looks at: operations, groups, versions and resources, with their wildcards.

import type {
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from '@homeostat/api/types/admissionregistration-v1';
import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  type Mutable,
  notSupported,
  required,
} from '@homeostat/machinery';
import { validateLabelSelector } from '../rules/labels.ts';
import { nameIsPathSegment } from '../rules/names.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];
const matchPolicies = ['Equivalent', 'Exact'];

export function validateRule(rule: RuleWithOperations, path: FieldPath, errors: FieldError[]): void {
  const wanted: readonly string[] = rule.operations ?? [];
  const at = path.child('operations');
  if (wanted.length === 0) errors.push(required(at));
  if (isMixed(wanted)) errors.push(invalid(at, wanted, "if '*' is present, must not specify other operations"));
  for (const [index, operation] of wanted.entries()) {
    if (!operations.includes(operation)) errors.push(notSupported(at.index(index), operation, operations));
  }
  const groups = rule.apiGroups ?? [];
  const groupsPath = path.child('apiGroups');
  if (groups.length === 0) errors.push(required(groupsPath));
  if (isMixed(groups)) errors.push(invalid(groupsPath, groups, "if '*' is present, must not specify other API groups"));
  const versions = rule.apiVersions ?? [];
  const versionsPath = path.child('apiVersions');
  if (versions.length === 0) errors.push(required(versionsPath));
  if (isMixed(versions)) {
    errors.push(invalid(versionsPath, versions, "if '*' is present, must not specify other API versions"));
  }
  for (const [index, version] of versions.entries())
    if (version === '') errors.push(required(versionsPath.index(index)));
  validateResources(rule.resources ?? [], path.child('resources'), errors);
  const scope: string | undefined = rule.scope;
  if (scope !== undefined && !scopes.includes(scope)) errors.push(notSupported(path.child('scope'), scope, scopes));
}

/** Names with a slash are subresources; each half may be a wildcard, and must not repeat what a wildcard says. */
function validateResources(resources: readonly string[], path: FieldPath, errors: FieldError[]): void {
  if (resources.length === 0) errors.push(required(path));
  const wholeResources = new Set<string>();
  const everywhere = new Set<string>();
  let hasPlain = false;
  for (const [index, text] of resources.entries()) {
    const at = path.index(index);
    const slash = text.indexOf('/');
    if (text === '') errors.push(required(at));
    else if (slash < 0) hasPlain ||= text !== '*';
    else {
      const resource = text.slice(0, slash);
      const sub = text.slice(slash + 1);
      if (wholeResources.has(resource)) {
        errors.push(invalid(at, text, `if '${resource}/*' is present, must not specify ${text}`));
      }
      if (everywhere.has(sub)) errors.push(invalid(at, text, `if '*/${sub}' is present, must not specify ${text}`));
      if (sub === '*') wholeResources.add(resource);
      if (resource === '*') everywhere.add(sub);
    }
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (hasPlain && resources.includes('*')) {
    const text = "if '*' is present, must not specify other resources without subresources";
    errors.push(invalid(path, resources, text));
  }
}

/** What a policy must say: which resources it is about. */
export function validateMatchConstraints(
  match: MatchResources | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (match === undefined) {
    errors.push(required(path));
    return;
  }
  validateMatchResources(match, path, errors);
  if ((match.resourceRules ?? []).length === 0) errors.push(required(path.child('resourceRules')));
}

export function validateMatchResources(match: MatchResources | undefined, path: FieldPath, errors: FieldError[]): void {
  if (match === undefined) return;
  const policy: string | undefined = match.matchPolicy;
  if (policy === undefined) errors.push(required(path.child('matchPolicy')));
  else if (!matchPolicies.includes(policy)) errors.push(notSupported(path.child('matchPolicy'), policy, matchPolicies));
  for (const field of ['namespaceSelector', 'objectSelector'] as const) {
    if (match[field] === undefined) errors.push(required(path.child(field)));
    else validateLabelSelector(match[field], path.child(field), errors);
  }
  for (const field of ['resourceRules', 'excludeResourceRules'] as const) {
    for (const [index, rule] of (match[field] ?? []).entries())
      validateNamedRule(rule, path.child(field).index(index), errors);
  }
}

function validateNamedRule(rule: NamedRuleWithOperations, path: FieldPath, errors: FieldError[]): void {
  const names = rule.resourceNames ?? [];
  for (const [index, name] of names.entries()) {
    const at = path.child('resourceNames').index(index);
    const texts = nameIsPathSegment(name, false);
    if (texts.length > 0) errors.push(invalid(at, name, texts.join(',')));
    if (names.indexOf(name) < index) errors.push(duplicate(at, name));
  }
  validateRule(rule, path, errors);
}

export function defaultMatchResources(match: Mutable<MatchResources> | undefined): void {
  if (match === undefined) return;
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  for (const rule of [...(match.resourceRules ?? []), ...(match.excludeResourceRules ?? [])]) rule.scope ??= '*';
}

function isMixed(list: readonly string[]): boolean {
  return list.length > 1 && list.includes('*');
}
