// Whether the rules a user holds cover the rules the user wants to grant, and how what is missing is written
// (spec/apiserver.md §17, escalation). Pure.

import { quote } from '@homeostat/machinery';
import { nonResourceUrlCovers, type PolicyRule } from './policy-rule.ts';

const none: readonly string[] = [];

/** The single permissions of `wanted` that no rule of `held` covers; empty when all are. */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const single = wanted.flatMap(breakDown);
  return single.filter((rule) => !held.some((owner) => covers(owner, rule)));
}

/** One line a rule, joined where only verbs differ, sorted: the tail of the escalation message. */
export function describeMissingRules(missing: readonly PolicyRule[]): string {
  const lines = new Set(compactRules(missing).map(formatRule));
  return [...lines].sort().join('\n');
}

/** Splits a rule into rules of one verb on one resource (and one name) or one URL. */
export function breakDown(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  for (const apiGroup of rule.apiGroups ?? none) {
    for (const resource of rule.resources ?? none) {
      for (const verb of rule.verbs) {
        const base = { verbs: [verb], apiGroups: [apiGroup], resources: [resource] };
        const names = rule.resourceNames ?? none;
        if (names.length === 0) parts.push(base);
        else for (const name of names) parts.push({ ...base, resourceNames: [name] });
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? none) {
    for (const verb of rule.verbs) parts.push({ verbs: [verb], nonResourceURLs: [url] });
  }
  return parts;
}

/** Joins rules of one group, one resource and at most one name that differ only by verb. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    const key = simpleKey(rule);
    if (key === undefined) {
      others.push(rule);
      continue;
    }
    const earlier = joined.get(key);
    joined.set(key, earlier === undefined ? rule : { ...earlier, verbs: [...earlier.verbs, ...rule.verbs] });
  }
  return [...others, ...joined.values()];
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}` */
export function formatRule(rule: PolicyRule): string {
  const parts: string[] = [];
  const add = (label: string, values: readonly string[] | undefined): void => {
    if (values !== undefined && values.length > 0) parts.push(`${label}:${formatQuotedList(values)}`);
  };
  add('APIGroups', rule.apiGroups);
  add('Resources', rule.resources);
  add('NonResourceURLs', rule.nonResourceURLs);
  add('ResourceNames', rule.resourceNames);
  add('Verbs', rule.verbs);
  return `{${parts.join(', ')}}`;
}

/** Go's `%q` of a string slice: `["a" "b"]`. */
export function formatQuotedList(values: readonly string[]): string {
  return `[${values.map(quote).join(' ')}]`;
}

function simpleKey(rule: PolicyRule): string | undefined {
  const names = rule.resourceNames ?? none;
  if (names.length > 1 || (rule.nonResourceURLs ?? none).length > 0) return undefined;
  if (rule.apiGroups?.length !== 1 || rule.resources?.length !== 1) return undefined;
  return JSON.stringify([rule.apiGroups[0], rule.resources[0], names[0] ?? null]);
}

function covers(owner: PolicyRule, wanted: PolicyRule): boolean {
  return (
    includesAll(owner.verbs, wanted.verbs) &&
    includesAll(owner.apiGroups ?? none, wanted.apiGroups ?? none) &&
    coversResources(owner.resources ?? none, wanted.resources ?? none) &&
    coversUrls(owner.nonResourceURLs ?? none, wanted.nonResourceURLs ?? none) &&
    coversNames(owner.resourceNames ?? none, wanted.resourceNames ?? none)
  );
}

function includesAll(owned: readonly string[], wanted: readonly string[]): boolean {
  return owned.includes('*') || wanted.every((value) => owned.includes(value));
}

function coversResources(owned: readonly string[], wanted: readonly string[]): boolean {
  if (owned.includes('*')) return true;
  return wanted.every((resource) => {
    if (owned.includes(resource)) return true;
    const slash = resource.indexOf('/');
    return slash !== -1 && owned.includes(`*${resource.slice(slash)}`);
  });
}

function coversUrls(owned: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((path) => owned.some((url) => nonResourceUrlCovers(url, path)));
}

function coversNames(owned: readonly string[], wanted: readonly string[]): boolean {
  if (owned.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => owned.includes(name));
}
