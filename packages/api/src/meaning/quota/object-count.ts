// Counting objects of a resource, whatever they are.

import type { GroupResource } from '@homeostat/machinery';
import { objectCountName, type QuotaEvaluator } from './quota-evaluator.ts';

/** `alias` is the name quotas used before generic counting. */
export function countObjects(resource: GroupResource, alias?: string): QuotaEvaluator {
  const names = [objectCountName(resource), ...(alias === undefined ? [] : [alias])];
  const usage = Object.fromEntries(names.map((name) => [name, '1']));
  return {
    resource,
    matchingNames: (wanted) => names.filter((name) => wanted.includes(name)),
    usage: () => usage,
    matchesScope: () => false,
  };
}
