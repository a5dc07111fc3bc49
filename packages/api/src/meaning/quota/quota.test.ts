import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@homeostat/api/types/core-v1';
import type { KubeObject } from '@homeostat/machinery';
import { changesClaimUsage } from './claim-quota.ts';
import { changesScope, podQuota } from './pod-quota.ts';
import { quotaMatches } from './quota-evaluator.ts';
import { quotaEvaluatorOf } from './quota-evaluators.ts';
import { addLists, equalLists, exceededNames, subtractLists, withoutZeros } from './resource-list.ts';

const now = 1_000_000;

function pod(spec: object = {}, more: object = {}): Pod {
  return { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec }, ...more };
}

function using(requests: Record<string, string>, limits: Record<string, string> = {}): Pod {
  return pod({ containers: [{ name: 'c', image: 'i', resources: { requests, limits } }] });
}

test('lists add, subtract and compare by value', () => {
  assert.deepEqual(addLists({ cpu: '600m', pods: '0' }, { cpu: '400m', memory: '1Gi' }), {
    cpu: '1',
    pods: '0',
    memory: '1Gi',
  });
  assert.deepEqual(subtractLists({ cpu: '1' }, { cpu: '2', pods: '1' }), { cpu: '0', pods: '0' });
  assert.deepEqual(withoutZeros({ cpu: '0', pods: '1' }), { pods: '1' });
  assert.equal(equalLists({ cpu: '1000m' }, { cpu: '1' }), true);
  assert.equal(equalLists({ cpu: '1' }, { cpu: '1', pods: '0' }), false);
  assert.deepEqual(exceededNames({ pods: '2', cpu: '3', memory: '1' }, { cpu: '1', pods: '1' }), ['cpu', 'pods']);
});

test('a Pod uses what it requests, under all names', () => {
  const usage = podQuota.usage(
    using({ cpu: '100m', 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi' }, { memory: '1Gi' }),
    now,
  );
  assert.deepEqual(usage, {
    'count/pods': '1',
    pods: '1',
    cpu: '100m',
    'requests.cpu': '100m',
    'requests.example.com/gpu': '2',
    'hugepages-2Mi': '4Mi',
    'requests.hugepages-2Mi': '4Mi',
    'limits.memory': '1Gi',
  });
});

test('a Pod that is over is only counted as an object', () => {
  const ended = { status: { phase: 'Succeeded' as const } };
  assert.deepEqual(podQuota.usage({ ...using({ cpu: '1' }), ...ended }, now), { 'count/pods': '1' });
  const deleted = (graceSeconds: number): KubeObject =>
    ({
      ...using({ cpu: '1' }),
      metadata: { deletionTimestamp: '1970-01-01T00:16:00Z', deletionGracePeriodSeconds: graceSeconds },
    }) as KubeObject;
  assert.deepEqual(podQuota.usage(deleted(30), now), { 'count/pods': '1' });
  assert.equal(podQuota.usage(deleted(60), now)['pods'], '1');
});

test('quotas on cpu and memory ask every container, unless the Pod states amounts itself', () => {
  const names = ['requests.cpu', 'limits.memory', 'pods'];
  const two = pod({
    containers: [
      { name: 'c', image: 'i', resources: { requests: { cpu: '1' } } },
      { name: 'd', image: 'i' },
    ],
    initContainers: [{ name: 'i', image: 'i' }],
  });
  assert.equal(podQuota.missing?.(names, two), 'limits.memory for: c,d,i; requests.cpu for: d,i');
  assert.equal(podQuota.missing?.(['requests.ephemeral-storage'], two), '');
  assert.equal(podQuota.missing?.(names, pod({ resources: { requests: { cpu: '1' } } })), '');
});

test('scopes choose Pods', () => {
  const is = (scopeName: 'Terminating' | 'BestEffort' | 'CrossNamespacePodAffinity', object: Pod): boolean =>
    podQuota.matchesScope({ scopeName, operator: 'Exists' }, object);
  assert.equal(is('Terminating', pod({ activeDeadlineSeconds: 60 })), true);
  assert.equal(is('Terminating', pod()), false);
  assert.equal(is('BestEffort', pod()), true);
  assert.equal(is('BestEffort', using({ cpu: '1' })), false);
  const term = { topologyKey: 'k', namespaceSelector: {} };
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  assert.equal(is('CrossNamespacePodAffinity', pod({ affinity })), true);
  const byClass = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', name?: string): boolean =>
    podQuota.matchesScope(
      { scopeName: 'PriorityClass', operator, values: ['high'] },
      pod(name === undefined ? {} : { priorityClassName: name }),
    );
  assert.deepEqual([byClass('In', 'high'), byClass('In', 'low'), byClass('In')], [true, false, false]);
  assert.deepEqual([byClass('NotIn', 'high'), byClass('NotIn', 'low'), byClass('NotIn')], [false, true, true]);
  assert.deepEqual([byClass('Exists', 'high'), byClass('Exists')], [true, false]);
  assert.deepEqual([byClass('DoesNotExist', 'high'), byClass('DoesNotExist')], [false, true]);
  assert.equal(changesScope(pod({ activeDeadlineSeconds: 1 }), pod()), true);
});

test('a quota matches by name and by all of its scopes', () => {
  const quota = (hard: Record<string, string>, scopes: ('BestEffort' | 'NotTerminating')[] = []) => ({
    spec: { scopes },
    status: { hard },
  });
  assert.equal(quotaMatches(quota({ pods: '1' }, ['BestEffort', 'NotTerminating']), podQuota, pod()), true);
  assert.equal(quotaMatches(quota({ pods: '1' }, ['BestEffort']), podQuota, using({ cpu: '1' })), false);
  assert.equal(quotaMatches(quota({ services: '1' }), podQuota, pod()), false);
});

test('Services want node ports by their type', () => {
  const evaluator = quotaEvaluatorOf({ group: '', resource: 'services' });
  const ports = (spec: object): string | undefined =>
    evaluator?.usage({ spec: { ports: [{ port: 1 }, { port: 2, nodePort: 30000 }], ...spec } } as KubeObject, now)[
      'services.nodeports'
    ];
  assert.equal(ports({ type: 'ClusterIP' }), '0');
  assert.equal(ports({ type: 'NodePort' }), '2');
  assert.equal(ports({ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false }), '1');
});

test('claims are charged per storage class, in whole bytes, while growing the larger amount', () => {
  const evaluator = quotaEvaluatorOf({ group: '', resource: 'persistentvolumeclaims' });
  const claim = (allocated?: string): KubeObject =>
    ({
      spec: { storageClassName: 'gold', resources: { requests: { storage: '1500m' } } },
      status: allocated === undefined ? {} : { allocatedResources: { storage: allocated } },
    }) as KubeObject;
  assert.deepEqual(evaluator?.usage(claim(), now), {
    'count/persistentvolumeclaims': '1',
    persistentvolumeclaims: '1',
    'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
    'requests.storage': '2',
    'gold.storageclass.storage.k8s.io/requests.storage': '2',
  });
  assert.equal(evaluator?.usage(claim('5Gi'), now)['requests.storage'], '5Gi');
  assert.equal(changesClaimUsage(claim('5Gi'), claim()), true);
  assert.equal(changesClaimUsage(claim(), claim()), false);
});

test('device claims are charged the most they may get, per class', () => {
  const evaluator = quotaEvaluatorOf({ group: 'resource.k8s.io', resource: 'resourceclaims' });
  const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 };
  const firstAvailable = [
    { name: 'a', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 },
    { name: 'b', deviceClassName: 'nic', allocationMode: 'All' },
  ];
  const claim = {
    spec: {
      devices: {
        requests: [
          { name: 'r', exactly },
          { name: 's', firstAvailable },
        ],
      },
    },
  };
  assert.deepEqual(evaluator?.usage(claim as unknown as KubeObject, now), {
    'count/resourceclaims.resource.k8s.io': '1',
    'gpu.deviceclass.resource.k8s.io/devices': '3',
    'nic.deviceclass.resource.k8s.io/devices': '32',
  });
});

test('everything else is counted, but events and reviews are not', () => {
  assert.deepEqual(quotaEvaluatorOf({ group: '', resource: 'secrets' })?.usage({}, now), {
    'count/secrets': '1',
    secrets: '1',
  });
  const leases = quotaEvaluatorOf({ group: 'coordination.k8s.io', resource: 'leases' });
  assert.deepEqual(leases?.matchingNames(['count/leases.coordination.k8s.io', 'pods']), [
    'count/leases.coordination.k8s.io',
  ]);
  assert.equal(quotaEvaluatorOf({ group: '', resource: 'events' }), undefined);
});
