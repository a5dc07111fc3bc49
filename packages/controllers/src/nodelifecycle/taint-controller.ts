// The prompt half of the node lifecycle controller: NoSchedule taints follow conditions, old labels follow new ones
// (spec/infrastructure.md §4.3, §4.4). Level-triggered on each node; nothing is rate limited here.

import type { Node } from '@homeostat/api/types/core-v1';
import type { ObjectKey } from '@homeostat/client';
import { nodes } from '@homeostat/client/resources';
import type { Action, Caches, Plan, PlanController } from '@homeostat/runtime';
import { presentNoSchedule, taintPatch, wantedNoSchedule } from './taints.ts';

const copiedLabels = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;

export function diff(node: Node, now: number): Plan {
  const wanted = wantedNoSchedule(node);
  const present = presentNoSchedule(node);
  const add = wanted.filter((key) => !present.includes(key));
  const remove = present.filter((key) => !wanted.includes(key));
  const actions: Action[] = [];
  if (add.length + remove.length > 0) actions.push(taintPatch(node, { effect: 'NoSchedule', add, remove }, now));
  const labels = outdatedLabels(node);
  if (Object.keys(labels).length > 0) {
    actions.push({
      verb: 'patch',
      patchType: 'strategic',
      resource: nodes,
      name: node.metadata?.name ?? '',
      patch: { metadata: { labels } },
      tolerates: ['NotFound'],
      reason: 'BetaLabels',
      facts: labels,
    });
  }
  return { steps: actions.length === 0 ? [] : [{ mode: 'sequence', actions }] };
}

function outdatedLabels(node: Node): Readonly<Record<string, string>> {
  const labels = node.metadata?.labels ?? {};
  const outdated: Record<string, string> = {};
  for (const [stable, beta] of copiedLabels) {
    const value = labels[stable];
    if (value !== undefined && labels[beta] !== value) outdated[beta] = value;
  }
  return outdated;
}

/** Creates the definition; the manager runs it. */
export function createNodeTaintController(): PlanController<Node> {
  return {
    name: 'node-lifecycle-taints',
    eventSource: 'node-controller',
    concurrency: 8,
    for: { resource: nodes },
    observe: (key: ObjectKey, caches: Caches) => caches.lister(nodes).getByKey(key),
    diff,
  };
}
