// The node lifecycle controller's definitions: the monitor's single key, the prompt taints, and pods that are assigned
// to a node that is already given up.

import type { Pod } from '@homeostat/api/types/core-v1';
import type { ObjectKey } from '@homeostat/client';
import { leases, nodes, pods } from '@homeostat/client/resources';
import { type Caches, createExponentialLimiter, emptyPlan, type PlanController } from '@homeostat/runtime';
import { podsByNode } from '../shared/pods-by-node.ts';
import { markPodsNotReady, NodeMonitor, type MonitorOptions, type ObservedCluster } from './monitor.ts';
import { createNodeTaintController } from './taint-controller.ts';

const leaseNamespace = 'kube-node-lease';
const passKey = 'pass';

/** Upstream's defaults. */
export const defaultMonitorOptions: MonitorOptions = {
  periodMs: 5000,
  gracePeriodMs: 50_000,
  startupGracePeriodMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeClusterSize: 50,
  unhealthyThreshold: 0.55,
};

/** Creates the definitions; the manager runs them together. */
export function createNodeLifecycleControllers(
  options: Partial<MonitorOptions> = {},
): readonly [PlanController<ObservedCluster>, ReturnType<typeof createNodeTaintController>, PlanController<Pod>] {
  const monitor = new NodeMonitor({ ...defaultMonitorOptions, ...options });
  return [createMonitorController(monitor), createNodeTaintController(), createAssignedPodController(monitor)];
}

function createMonitorController(monitor: NodeMonitor): PlanController<ObservedCluster> {
  return {
    name: 'node-lifecycle-controller',
    eventSource: 'node-controller',
    // A pass that failed in part is made up by the next one: no long back-off.
    rateLimiter: () => createExponentialLimiter({ baseMs: 100, maxMs: 1000 }),
    for: { resource: nodes, wakes: (change) => (change.type === 'added' ? [passKey] : []) },
    watches: [
      { resource: leases, select: { namespace: leaseNamespace }, wakes: () => [] },
      { resource: pods, indexes: [podsByNode], wakes: () => [] },
    ],
    observe: (_key: ObjectKey, caches: Caches) => ({
      nodes: caches.lister(nodes).list(),
      lease: (node) => caches.lister(leases).get(leaseNamespace, node),
      podsOn: (node) => caches.lister(pods).byIndex(podsByNode.name, node),
    }),
    diff: (observed, now) => monitor.pass(observed, now),
  };
}

function createAssignedPodController(monitor: NodeMonitor): PlanController<Pod> {
  return {
    name: 'node-lifecycle-pods',
    eventSource: 'node-controller',
    concurrency: 4,
    for: {
      resource: pods,
      predicate: (old: Pod, pod: Pod) => (old.spec?.nodeName ?? '') !== (pod.spec?.nodeName ?? ''),
    } as PlanController<Pod>['for'],
    watches: [{ resource: nodes, wakes: () => [] }],
    observe: (key, caches) => {
      const pod = caches.lister(pods).getByKey(key);
      const node = pod?.spec?.nodeName ?? '';
      if (pod === undefined || node === '' || monitor.isNotReady(node) !== true) return undefined;
      const known = caches.lister(nodes).get(undefined, node);
      const unknown = known?.status?.conditions?.some(
        (condition) => condition.type === 'Ready' && condition.status === 'Unknown',
      );
      return unknown === true ? pod : undefined;
    },
    diff: (pod, now) => {
      const steps = markPodsNotReady([pod], now);
      return steps.length === 0 ? emptyPlan : { steps };
    },
  };
}
