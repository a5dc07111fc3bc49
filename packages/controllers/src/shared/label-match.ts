// A metav1.LabelSelector as a function on labels, as controllers use it: nothing selects nothing.

import type { LabelSelector } from '@homeostat/api/types/meta-v1';
import { labelSelectorAsSelector } from '@homeostat/machinery';
import type { LabelMatch } from '@homeostat/runtime';

const cache = new WeakMap<object, LabelMatch | 'invalid'>();

/**
 * The matcher of a selector; undefined when it is absent, invalid, or empty: controllers never act on everything.
 * Compiled once per selector object (objects in caches are shared and never change).
 */
export function labelSelectorMatcher(selector: LabelSelector | undefined): LabelMatch | undefined {
  if (selector === undefined) return undefined;
  const known = cache.get(selector);
  if (known !== undefined) return known === 'invalid' ? undefined : known;
  const compiled = compile(selector);
  cache.set(selector, compiled ?? 'invalid');
  return compiled;
}

function compile(selector: LabelSelector): LabelMatch | undefined {
  const empty = Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
  if (empty) return undefined;
  try {
    const parsed = labelSelectorAsSelector(selector);
    return (labels) => parsed.matches(labels);
  } catch {
    return undefined; // an invalid selector was stored by an older server: it selects nothing
  }
}
