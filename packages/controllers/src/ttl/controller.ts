// The TTL controller: tells kubelets by an annotation how long they may cache Secrets and ConfigMaps, by the size of the
// cluster (spec/infrastructure.md §16).

import type { Node } from '@homeostat/api/types/core-v1';
import type { ObjectKey } from '@homeostat/client';
import { nodes } from '@homeostat/client/resources';
import { type Caches, emptyPlan, type Plan, type PlanController } from '@homeostat/runtime';

const ttlAnnotation = 'node.alpha.kubernetes.io/ttl';

// Boundaries overlap so that a cluster at an edge does not flap between two values.
const steps = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: 10_000, seconds: 300 },
  { from: 9000, to: Number.MAX_SAFE_INTEGER, seconds: 600 },
] as const;

export interface ObservedNodeTtl {
  readonly node: Node;
  readonly seconds: number;
}

/** Follows the cluster's size through the steps. */
export class TtlStep {
  #index = 0;

  /** The TTL for `count` nodes, given the step of the last call. */
  secondsFor(count: number): number {
    while (this.#index < steps.length - 1 && count > (steps[this.#index]?.to ?? 0)) this.#index++;
    while (this.#index > 0 && count < (steps[this.#index]?.from ?? 0)) this.#index--;
    return steps[this.#index]?.seconds ?? 0;
  }
}

export function diff({ node, seconds }: ObservedNodeTtl): Plan {
  const wanted = String(seconds);
  if (node.metadata?.annotations?.[ttlAnnotation] === wanted) return emptyPlan;
  return {
    steps: [
      {
        actions: [
          {
            verb: 'patch',
            patchType: 'strategic',
            resource: nodes,
            name: node.metadata?.name ?? '',
            patch: { metadata: { annotations: { [ttlAnnotation]: wanted } } },
            tolerates: ['NotFound'],
            reason: 'TtlDiffers',
            facts: { wanted, had: node.metadata?.annotations?.[ttlAnnotation] ?? '' },
          },
        ],
      },
    ],
  };
}

/** Creates the definition; the manager runs it. */
export function createTtlController(): PlanController<ObservedNodeTtl> {
  const step = new TtlStep();
  return {
    name: 'ttl-controller',
    concurrency: 5,
    for: { resource: nodes },
    observe: (key: ObjectKey, caches: Caches) => {
      const lister = caches.lister(nodes);
      const node = lister.getByKey(key);
      return node === undefined ? undefined : { node, seconds: step.secondsFor(lister.size) };
    },
    diff,
  };
}
