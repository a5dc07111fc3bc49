// What quotas count about Services: how many, and how many load balancers and node ports they want.

import type { Service } from '@homeostat/api/types/core-v1';
import { objectCountName, type QuotaEvaluator } from './quota-evaluator.ts';

const resource = { group: '', resource: 'services' };
const countName = objectCountName(resource);
const names = [countName, 'services', 'services.nodeports', 'services.loadbalancers'];

export const serviceQuota: QuotaEvaluator = {
  resource,
  matchingNames: (wanted) => names.filter((name) => wanted.includes(name)),
  usage: (object) => {
    const { spec } = object as Service;
    return {
      [countName]: '1',
      services: '1',
      'services.loadbalancers': spec?.type === 'LoadBalancer' ? '1' : '0',
      'services.nodeports': String(nodePortsOf(spec)),
    };
  },
  matchesScope: () => false,
};

// By what is wanted: the ports are handed out after the quota was asked.
function nodePortsOf(spec: Service['spec']): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') return ports.length;
  if (spec?.type !== 'LoadBalancer') return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}
