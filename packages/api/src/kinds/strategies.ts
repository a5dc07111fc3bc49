// The strategy of every built-in kind: the maps of the API groups joined. Kinds served in several versions have one
// strategy, which reads the storage version.

import type { KubeObject } from '@homeostat/machinery';
import type { ResourceInfo } from '../resource.ts';
import { tableFor } from '../columns/tables.ts';
import type { KindStrategy } from '../strategy.ts';
import { appsStrategies } from './apps/strategies.ts';
import { batchStrategies } from './batch/strategies.ts';
import { networkingStrategies } from './networking/strategies.ts';
import { nameIsPathSegment } from './rules/names.ts';
import { standardStrategy } from './standard-strategy.ts';
import type { StrategyMap } from './strategy-map.ts';

const byGroup: Readonly<Record<string, StrategyMap>> = {
  apps: appsStrategies,
  batch: batchStrategies,
  'networking.k8s.io': networkingStrategies,
};

const known = new Map<string, KindStrategy>();

/** The rules of a served built-in; kinds without their own follow the usual pattern. With its table. */
export function strategyOf(info: ResourceInfo): KindStrategy {
  const { storage } = info;
  const key = `${storage.kind}.${storage.group}`;
  let strategy = known.get(key);
  if (strategy === undefined) {
    const own = byGroup[storage.group]?.[storage.kind];
    const base = own ?? (standardStrategy<KubeObject>(usualRules(info)) as KindStrategy);
    strategy = { table: tableFor(storage), ...base };
    known.set(key, strategy);
  }
  return strategy;
}

function usualRules(info: ResourceInfo): Parameters<typeof standardStrategy<KubeObject>>[0] {
  const status = info.subresources.some(({ name }) => name === 'status');
  const name = info.group === 'rbac.authorization.k8s.io' ? { name: nameIsPathSegment } : {};
  return { kind: info.storage, namespaced: info.namespaced, ...name, ...(status ? { status } : {}) };
}
