import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@homeostat/machinery';
import { tableFor } from './tables.ts';

const now = Date.parse('2026-01-02T00:00:00Z');

function cellsOf(group: string, kind: string, object: object): Readonly<Record<string, unknown>> {
  const table = tableFor({ group, kind });
  const { cells } = table.row(object as KubeObject, now);
  return Object.fromEntries(table.columns.map((column, index) => [column.name, cells[index]]));
}

test('a Service of type LoadBalancer waits for addresses, then shows them sorted', () => {
  const spec = {
    type: 'LoadBalancer',
    clusterIPs: ['10.0.0.1'],
    ports: [{ port: 80, nodePort: 30080, protocol: 'TCP' }],
  };
  const waiting = cellsOf('', 'Service', { spec });
  assert.equal(waiting['External-IP'], '<pending>');
  assert.equal(waiting['Port(s)'], '80:30080/TCP');
  const status = { loadBalancer: { ingress: [{ hostname: 'b.example.com' }, { ip: '1.2.3.4' }] } };
  assert.equal(cellsOf('', 'Service', { spec, status })['External-IP'], '1.2.3.4,b.example.com');
});

test('Endpoints show three addresses and count the rest', () => {
  const addresses = ['1', '2', '3', '4', '5'].map((last) => ({ ip: `10.0.0.${last}` }));
  const shown = cellsOf('', 'Endpoints', { subsets: [{ addresses, ports: [{ port: 80 }] }] });
  assert.equal(shown['Endpoints'], '10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 2 more...');
});

test('an Ingress counts rules without a host among those left out', () => {
  const rules = [{ host: 'a' }, { host: 'b' }, { host: 'c' }, {}, { host: 'd' }];
  assert.equal(cellsOf('networking.k8s.io', 'Ingress', { spec: { rules } })['Hosts'], 'a,b,c + 2 more...');
  assert.equal(cellsOf('networking.k8s.io', 'Ingress', { spec: {} })['Hosts'], '*');
});

test('a Node shows its roles sorted, and that it takes no Pods', () => {
  const metadata = { labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'infra' } };
  const status = {
    conditions: [{ type: 'Ready', status: 'True' }],
    nodeInfo: { kernelVersion: '6.1', architecture: 'arm64' },
  };
  const shown = cellsOf('', 'Node', { metadata, spec: { unschedulable: true }, status });
  assert.equal(shown['Status'], 'Ready,SchedulingDisabled');
  assert.equal(shown['Roles'], 'infra,worker');
  assert.equal(shown['Kernel-Version'], '6.1 (arm64)');
});

test('an Event prints the same from both groups', () => {
  const core = {
    involvedObject: { kind: 'Pod', name: 'p' },
    message: ' text \n',
    source: { component: 'c', host: 'h' },
    lastTimestamp: '2026-01-01T23:59:00Z',
    count: 3,
  };
  const other = {
    regarding: { kind: 'Pod', name: 'p' },
    note: ' text \n',
    deprecatedSource: { component: 'c', host: 'h' },
    deprecatedLastTimestamp: '2026-01-01T23:59:00Z',
    deprecatedCount: 3,
  };
  const shown = cellsOf('', 'Event', core);
  assert.deepEqual(cellsOf('events.k8s.io', 'Event', other), shown);
  assert.equal(shown['Object'], 'pod/p');
  assert.equal(shown['Last Seen'], '60s');
  assert.equal(shown['Message'], 'text');
  assert.equal(shown['Count'], 3);
});

test('a HorizontalPodAutoscaler shows two metrics and counts the rest', () => {
  const resource = (name: string, averageUtilization: number) => ({
    type: 'Resource',
    resource: { name, target: { type: 'Utilization', averageUtilization } },
  });
  const spec = { metrics: [resource('cpu', 80), resource('memory', 70), resource('x', 1)], maxReplicas: 5 };
  const status = {
    currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40 } } }],
  };
  const shown = cellsOf('autoscaling', 'HorizontalPodAutoscaler', { spec, status });
  assert.equal(shown['Targets'], 'cpu: 40%/80%, memory: <unknown>/70% + 1 more...');
  assert.equal(shown['MinPods'], '<unset>');
});

test('a PersistentVolumeClaim shows capacity and modes once it is bound', () => {
  const status = { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] };
  assert.equal(cellsOf('', 'PersistentVolumeClaim', { spec: {}, status })['Capacity'], '');
  const bound = cellsOf('', 'PersistentVolumeClaim', { spec: { volumeName: 'v' }, status });
  assert.equal(bound['Capacity'], '1Gi');
  assert.equal(bound['Access Modes'], 'RWO,RWX');
});

test('a Job tells how far it is', () => {
  const spec = { completions: 3 };
  const status = { succeeded: 1, startTime: '2026-01-01T23:59:30Z' };
  const shown = cellsOf('batch', 'Job', { spec, status });
  assert.deepEqual([shown['Status'], shown['Completions'], shown['Duration']], ['Running', '1/3', '30s']);
  assert.equal(cellsOf('batch', 'Job', { spec: { parallelism: 2 } })['Completions'], '0/1 of 2');
});

test('a signing request shows every state it went through', () => {
  const status = { certificate: 'eA==', conditions: [{ type: 'Approved' }, { type: 'Failed' }] };
  const shown = cellsOf('certificates.k8s.io', 'CertificateSigningRequest', {
    spec: { expirationSeconds: 7200 },
    status,
  });
  assert.equal(shown['Condition'], 'Approved,Failed,Issued');
  assert.equal(shown['RequestedDuration'], '120m');
});
