import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mutable } from '@homeostat/machinery';
import type { Service, ServiceSpec } from '@homeostat/api/types/core-v1';
import { dropTypeDependentFields, normalizeClusterIps, patchAllocatedValues } from './linked-fields.ts';

type Hook = (draft: Mutable<Service>, old: Service) => void;

function after(hook: Hook, spec: ServiceSpec, old: ServiceSpec): ServiceSpec | undefined {
  const draft = { spec: structuredClone(spec) } as Mutable<Service>;
  hook(draft, { spec: old });
  return draft.spec as ServiceSpec | undefined;
}

test('normalizeClusterIps() lists the address of clients that know only one', () => {
  const draft: Mutable<Service> = { spec: { clusterIP: '10.0.0.1' } };
  normalizeClusterIps(draft, undefined);
  assert.deepEqual(draft.spec, { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] });
});

test('normalizeClusterIps() follows changes of the single address', () => {
  const old = { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'] };
  assert.deepEqual(after(normalizeClusterIps, { clusterIP: '10.0.0.1' }, old), old);
  assert.deepEqual(after(normalizeClusterIps, { clusterIP: '', clusterIPs: [...old.clusterIPs] }, old), {
    clusterIP: '',
  });
  assert.deepEqual(after(normalizeClusterIps, { clusterIP: 'None', clusterIPs: [...old.clusterIPs] }, old), {
    clusterIP: 'None',
    clusterIPs: ['None'],
  });
});

test('patchAllocatedValues() puts back what the request leaves out', () => {
  const ports = [
    { name: 'a', port: 80, nodePort: 30_080 },
    { name: 'b', port: 81, nodePort: 30_081 },
  ];
  const old: ServiceSpec = { type: 'NodePort', clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ports };
  const sent: ServiceSpec = {
    type: 'NodePort',
    ports: [
      { name: 'b', port: 81 },
      { name: 'new', port: 82, nodePort: 30_080 },
    ],
  };
  assert.deepEqual(after(patchAllocatedValues, sent, old), {
    ...old,
    ports: [
      { name: 'b', port: 81, nodePort: 30_081 },
      { name: 'new', port: 82, nodePort: 30_080 },
    ],
  });
  assert.deepEqual(after(patchAllocatedValues, { type: 'ExternalName' }, old), { type: 'ExternalName' });
});

test('dropTypeDependentFields() drops what the old type had and the request only carried along', () => {
  const old: ServiceSpec = {
    type: 'LoadBalancer',
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1'],
    ports: [{ port: 80, nodePort: 30_080 }],
    externalTrafficPolicy: 'Local',
    healthCheckNodePort: 31_000,
    allocateLoadBalancerNodePorts: true,
  };
  assert.deepEqual(after(dropTypeDependentFields, { ...old, type: 'ClusterIP' }, old), {
    type: 'ClusterIP',
    clusterIP: '10.0.0.1',
    clusterIPs: ['10.0.0.1'],
    ports: [{ port: 80 }],
  });
  // A value that the request itself sets stays, for validation to judge.
  const changed = after(dropTypeDependentFields, { ...old, type: 'ClusterIP', healthCheckNodePort: 31_001 }, old);
  assert.equal(changed?.healthCheckNodePort, 31_001);
});
