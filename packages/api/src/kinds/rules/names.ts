// The rules for metadata.name that kinds choose from, as functions of the name; `prefix` is true for generateName.
// The character rules themselves are in machinery; this file adds upstream's treatment of prefixes.
// Follows spec/apiserver.md §4.8.

import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isPathSegmentName,
  isPathSegmentPrefix,
} from '@homeostat/machinery';

/** Messages about a name that breaks the rule; empty when it is fine. */
export type NameRule = (name: string, prefix: boolean) => readonly string[];

export const nameIsDnsSubdomain: NameRule = (name, prefix) =>
  isDns1123Subdomain(prefix ? maskTrailingDash(name) : name);

export const nameIsDnsLabel: NameRule = (name, prefix) => isDns1123Label(prefix ? maskTrailingDash(name) : name);

export const nameIsDns1035Label: NameRule = (name, prefix) => isDns1035Label(prefix ? maskTrailingDash(name) : name);

/** What may stand in a URL path: the rule every object has to pass, and the only one RBAC kinds have. */
export const nameIsPathSegment: NameRule = (name, prefix) =>
  prefix ? isPathSegmentPrefix(name) : isPathSegmentName(name);

/** The rule a strategy names, as a function. */
export function toNameRule(rule: 'subdomain' | 'label' | 'label1035' | 'path-segment' | NameRule): NameRule {
  switch (rule) {
    case 'subdomain':
      return nameIsDnsSubdomain;
    case 'label':
      return nameIsDnsLabel;
    case 'label1035':
      return nameIsDns1035Label;
    case 'path-segment':
      return nameIsPathSegment;
    default:
      return rule;
  }
}

/** A prefix may end in a dash, because the random suffix follows: the last two characters stand for any letter. */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}
