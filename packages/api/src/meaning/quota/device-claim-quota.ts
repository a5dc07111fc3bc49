// What quotas count about resource claims: how many, and the devices they may get, per device class. Extended resources
// that stand for a device class are counted with the Pods that ask for them.

import type { ResourceClaim } from '@homeostat/api/types/resource-v1';
import { objectCountName, type QuotaEvaluator } from './quota-evaluator.ts';

const resource = { group: 'resource.k8s.io', resource: 'resourceclaims' };
const countName = objectCountName(resource);
const classSuffix = '.deviceclass.resource.k8s.io/devices';
/** Most devices one request can get: what "all there are" is charged as. */
const devicesMax = 32;

interface DeviceCount {
  readonly deviceClassName: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

export const deviceClaimQuota: QuotaEvaluator = {
  resource,
  matchingNames: (wanted) => [...new Set(wanted)].filter((name) => name === countName || name.endsWith(classSuffix)),
  usage: (object) => {
    const devices = new Map<string, number>();
    for (const { exactly, firstAvailable = [] } of (object as ResourceClaim).spec.devices?.requests ?? []) {
      // Which alternative is taken is not known yet: the largest counts, for each class.
      const most = new Map<string, number>();
      for (const each of firstAvailable.length > 0 ? firstAvailable : exactly === undefined ? [] : [exactly]) {
        const { deviceClassName } = each;
        most.set(deviceClassName, Math.max(most.get(deviceClassName) ?? 0, devicesOf(each)));
      }
      for (const [name, count] of most) devices.set(name, (devices.get(name) ?? 0) + count);
    }
    const perClass = [...devices].map(([name, count]) => [`${name}${classSuffix}`, String(count)] as const);
    return { [countName]: '1', ...Object.fromEntries(perClass) };
  },
  matchesScope: () => false,
};

function devicesOf({ allocationMode, count = 0 }: DeviceCount): number {
  if (allocationMode === 'ExactCount') return count;
  return allocationMode === 'All' ? devicesMax : 0;
}
