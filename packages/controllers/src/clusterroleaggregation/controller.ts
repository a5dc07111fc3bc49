// The ClusterRole aggregation controller: a ClusterRole with an aggregation rule has the rules of all it selects
// (spec/infrastructure.md §17). Its rules are its own: what users write into them is overwritten.

import type { ClusterRole, PolicyRule } from '@homeostat/api/types/rbac-v1';
import { deepEqual, type KubeObject, labelSelectorAsSelector } from '@homeostat/machinery';
import { keyOf, type ObjectKey } from '@homeostat/client';
import { clusterRoles } from '@homeostat/client/resources';
import { type Caches, type Change, emptyPlan, type Plan, type PlanController } from '@homeostat/runtime';

const fieldManager = 'clusterrole-aggregation-controller';

export interface ObservedAggregation {
  readonly role: ClusterRole;
  /** Every ClusterRole, itself included. */
  readonly all: readonly ClusterRole[];
}

export function observe(key: ObjectKey, caches: Caches): ObservedAggregation | undefined {
  const lister = caches.lister(clusterRoles);
  const role = lister.getByKey(key);
  return role?.aggregationRule === undefined ? undefined : { role, all: lister.list() };
}

export function diff({ role, all }: ObservedAggregation): Plan {
  const rules = aggregate(role, all);
  if (deepEqual(role.rules ?? [], rules)) return emptyPlan;
  const name = role.metadata?.name ?? '';
  const patch = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules };
  return {
    steps: [
      {
        actions: [
          {
            verb: 'patch',
            patchType: 'apply',
            resource: clusterRoles,
            name,
            patch: patch as KubeObject,
            fieldManager,
            force: true,
            reason: 'RulesDiffer',
            facts: { had: role.rules?.length ?? 0, wants: rules.length },
          },
        ],
      },
    ],
  };
}

// In the order of selectors, then of names, then of the rules themselves; each rule once.
function aggregate(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] {
  const rules: PolicyRule[] = [];
  const sorted = all.toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
  for (const labels of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorAsSelector(labels);
    for (const other of sorted) {
      if (other.metadata?.name === role.metadata?.name || !selector.matches(other.metadata?.labels ?? {})) continue;
      for (const rule of other.rules ?? []) if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
    }
  }
  return rules;
}

/** Creates the definition; the manager runs it. */
export function createClusterRoleAggregationController(): PlanController<ObservedAggregation> {
  return {
    name: 'clusterrole-aggregation-controller',
    concurrency: 5,
    for: {
      resource: clusterRoles,
      // Any role may be selected by any other.
      wakes: (_change: Change, caches: Caches) =>
        caches
          .lister(clusterRoles)
          .list()
          .filter((role) => role.aggregationRule !== undefined)
          .map(keyOf),
    },
    observe,
    diff,
  };
}
