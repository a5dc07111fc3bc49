// The strategy of every built-in kind: the maps of the API groups joined. Kinds served in several versions have one
// strategy, which reads the storage version; those of another group than it is stored in (Events) have their own there.

import type { KubeObject } from '@homeostat/machinery';
import type { ResourceInfo } from '../resource.ts';
import { tableFor } from '../columns/tables.ts';
import type { KindStrategy } from '../strategy.ts';
import { admissionRegistrationStrategies } from './admissionregistration/strategies.ts';
import { apiExtensionsStrategies } from './apiextensions/strategies.ts';
import { apiRegistrationStrategies } from './apiregistration/strategies.ts';
import { appsStrategies } from './apps/strategies.ts';
import { autoscalingStrategies } from './autoscaling/strategies.ts';
import { batchStrategies } from './batch/strategies.ts';
import { certificatesStrategies } from './certificates/strategies.ts';
import { coordinationStrategies } from './coordination/strategies.ts';
import { coreStrategies } from './core/strategies.ts';
import { discoveryStrategies } from './discovery/strategies.ts';
import { eventsStrategies } from './events/strategies.ts';
import { flowControlStrategies } from './flowcontrol/strategies.ts';
import { networkingStrategies } from './networking/strategies.ts';
import { nodeStrategies } from './node/strategies.ts';
import { policyStrategies } from './policy/strategies.ts';
import { rbacStrategies } from './rbac/strategies.ts';
import { resourceStrategies } from './resource/strategies.ts';
import { nameIsPathSegment } from './rules/names.ts';
import { schedulingStrategies } from './scheduling/strategies.ts';
import { standardStrategy } from './standard-strategy.ts';
import { storageStrategies } from './storage/strategies.ts';
import type { StrategyMap } from './strategy-map.ts';

const byGroup: Readonly<Record<string, StrategyMap>> = {
  '': coreStrategies,
  'admissionregistration.k8s.io': admissionRegistrationStrategies,
  'apiextensions.k8s.io': apiExtensionsStrategies,
  'apiregistration.k8s.io': apiRegistrationStrategies,
  apps: appsStrategies,
  autoscaling: autoscalingStrategies,
  batch: batchStrategies,
  'certificates.k8s.io': certificatesStrategies,
  'coordination.k8s.io': coordinationStrategies,
  'discovery.k8s.io': discoveryStrategies,
  'events.k8s.io': eventsStrategies,
  'flowcontrol.apiserver.k8s.io': flowControlStrategies,
  'networking.k8s.io': networkingStrategies,
  'node.k8s.io': nodeStrategies,
  policy: policyStrategies,
  'rbac.authorization.k8s.io': rbacStrategies,
  'resource.k8s.io': resourceStrategies,
  'scheduling.k8s.io': schedulingStrategies,
  'storage.k8s.io': storageStrategies,
};

const known = new Map<string, KindStrategy>();

/** The rules of a served built-in; kinds without their own follow the usual pattern. With its table. */
export function strategyOf(info: ResourceInfo): KindStrategy {
  const { storage } = info;
  const key = `${info.kind}.${info.group}`;
  let strategy = known.get(key);
  if (strategy === undefined) {
    const own = byGroup[info.group]?.[info.kind] ?? byGroup[storage.group]?.[storage.kind];
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
