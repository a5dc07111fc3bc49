// The parts of RBAC objects that authorization reads, and when one rule allows one request (spec/apiserver.md §17).
// Pure; finding the rules of a user is the business of `rbac-policy.ts`.

import type { AuthorizationAttributes } from '../../server/authorizer.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

/** What a rule looks at in a request. */
export type RuleAttributes = Pick<
  AuthorizationAttributes,
  'verb' | 'isResourceRequest' | 'group' | 'resource' | 'subresource' | 'name' | 'path'
>;

const none: readonly string[] = [];

/** Whether `rule` allows the request. `pods` does not cover `pods/log`; `*` covers everything, subresources too. */
export function ruleAllows(rule: PolicyRule, attributes: RuleAttributes): boolean {
  if (!matches(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResourceRequest) return nonResourceUrlMatches(rule.nonResourceURLs ?? none, attributes.path);
  return (
    matches(rule.apiGroups ?? none, attributes.group) &&
    resourceMatches(rule.resources ?? none, attributes.resource, attributes.subresource) &&
    resourceNameMatches(rule.resourceNames ?? none, attributes.name)
  );
}

/** Whether any of `rules` allows the request. */
export function rulesAllow(rules: readonly PolicyRule[], attributes: RuleAttributes): boolean {
  return rules.some((rule) => ruleAllows(rule, attributes));
}

function matches(allowed: readonly string[], value: string): boolean {
  return allowed.includes('*') || allowed.includes(value);
}

function resourceMatches(allowed: readonly string[], resource: string, subresource: string): boolean {
  if (allowed.length === 0) return false;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  if (allowed.includes('*') || allowed.includes(combined)) return true;
  return subresource !== '' && allowed.includes(`*/${subresource}`);
}

function resourceNameMatches(allowed: readonly string[], name: string): boolean {
  // An empty list means every name; a request without a name never matches a list of names.
  return allowed.length === 0 || allowed.includes(name);
}

function nonResourceUrlMatches(allowed: readonly string[], path: string): boolean {
  return allowed.some((url) => nonResourceUrlCovers(url, path));
}

/** `*` and a trailing `*` match any rest. */
export function nonResourceUrlCovers(url: string, path: string): boolean {
  if (url === '*' || url === path) return true;
  return url.endsWith('*') && path.startsWith(url.replace(/\*+$/, ''));
}
