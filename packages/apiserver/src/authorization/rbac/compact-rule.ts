// The notation in which the default roles are kept: `verbs | groups | resources | names`, or `verbs | URLs`, each a list of
// words. The core group is written `core`. Only for our own tables: it has no escapes.

import type { PolicyRule } from './policy-rule.ts';

export interface CompactRole {
  readonly rules?: readonly string[];
  /** The label `aggregate-to-<x>` this role carries. */
  readonly partOf?: string;
  /** The label `aggregate-to-<x>` whose roles this one collects. */
  readonly aggregates?: string;
}

/** @throws Error for a line that is no rule. */
export function parseCompactRule(line: string): PolicyRule {
  const [verbs, second, resources, names, ...rest] = line.split('|').map(words);
  if (verbs === undefined || second === undefined || rest.length > 0) throw new Error(`Cannot read the rule: ${line}`);
  if (resources === undefined) return { verbs, nonResourceURLs: second };
  const apiGroups = second.map((group) => (group === 'core' ? '' : group));
  return { verbs, apiGroups, resources, ...(names === undefined ? {} : { resourceNames: names }) };
}

function words(text: string): string[] {
  return text.trim().split(/ +/);
}
