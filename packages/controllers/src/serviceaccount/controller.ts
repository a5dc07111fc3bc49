// The ServiceAccount controller: every active namespace has a ServiceAccount `default` (spec/infrastructure.md §12).
// Pods of a fresh namespace are refused until it is there, so it is prompt and has no delays.

import type { Namespace } from '@homeostat/api/types/core-v1';
import type { ObjectKey } from '@homeostat/client';
import { namespaces, serviceAccounts } from '@homeostat/client/resources';
import { type Caches, emptyPlan, type Plan, type PlanController } from '@homeostat/runtime';

export interface ObservedNamespaceAccounts {
  readonly namespace: Namespace;
  /** Wanted ServiceAccounts that are not there. */
  readonly missing: readonly string[];
}

const wantedNames: readonly string[] = ['default'];

export function observe(key: ObjectKey, caches: Caches): ObservedNamespaceAccounts | undefined {
  const namespace = caches.lister(namespaces).getByKey(key);
  if (namespace === undefined || namespace.status?.phase !== 'Active') return undefined;
  const accounts = caches.lister(serviceAccounts);
  return { namespace, missing: wantedNames.filter((name) => accounts.get(key, name) === undefined) };
}

export function diff({ namespace, missing }: ObservedNamespaceAccounts): Plan {
  const name = namespace.metadata?.name ?? '';
  if (missing.length === 0) return emptyPlan;
  return {
    steps: [
      {
        mode: 'parallel',
        actions: missing.map((account) => ({
          verb: 'create',
          resource: serviceAccounts,
          namespace: name,
          object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace: name } },
          tolerates: ['AlreadyExists', 'NamespaceTerminating'],
          reason: 'ServiceAccountMissing',
          facts: { name: account },
        })),
      },
    ],
  };
}

/** Creates the definition; the manager runs it. */
export function createServiceAccountController(): PlanController<ObservedNamespaceAccounts> {
  return {
    name: 'serviceaccount-controller',
    for: { resource: namespaces },
    watches: [
      {
        resource: serviceAccounts,
        wakes: (change) =>
          change.type === 'deleted' && wantedNames.includes(change.object.metadata?.name ?? '')
            ? [change.object.metadata?.namespace ?? '']
            : [],
      },
    ],
    observe,
    diff,
  };
}
