// The priority levels and flow schemas a fresh server has (spec/apiserver.md §18): which requests share which part of
// its capacity. The facts of upstream's suggested and mandatory configuration.

export interface FlowControlObject {
  readonly name: string;
  readonly spec: object;
}

const queued = (shares: number, queues: number, handSize: number, lendablePercent: number): object => ({
  type: 'Limited',
  limited: {
    nominalConcurrencyShares: shares,
    limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
    lendablePercent,
  },
});

export const priorityLevels: readonly FlowControlObject[] = [
  { name: 'exempt', spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } },
  {
    name: 'catch-all',
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
    },
  },
  { name: 'system', spec: queued(30, 64, 6, 33) },
  { name: 'node-high', spec: queued(40, 64, 6, 25) },
  { name: 'leader-election', spec: queued(10, 16, 4, 0) },
  { name: 'workload-high', spec: queued(40, 128, 6, 50) },
  { name: 'workload-low', spec: queued(100, 128, 6, 90) },
  { name: 'global-default', spec: queued(20, 128, 6, 50) },
];

const group = (name: string): object => ({ kind: 'Group', group: { name } });
const user = (name: string): object => ({ kind: 'User', user: { name } });
const account = (namespace: string, name: string): object => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name },
});
const anyResource = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
const anyPath = { verbs: ['*'], nonResourceURLs: ['*'] };
const anything = (...subjects: readonly object[]): object => ({
  subjects,
  resourceRules: [anyResource],
  nonResourceRules: [anyPath],
});
const everybody = [group('system:unauthenticated'), group('system:authenticated')];

function schema(
  name: string,
  level: string,
  precedence: number,
  distinguisher: 'ByUser' | 'ByNamespace' | undefined,
  rule: object,
): FlowControlObject {
  return {
    name,
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      ...(distinguisher === undefined ? {} : { distinguisherMethod: { type: distinguisher } }),
      rules: [rule],
    },
  };
}

export const flowSchemas: readonly FlowControlObject[] = [
  schema('exempt', 'exempt', 1, undefined, anything(group('system:masters'))),
  schema('probes', 'exempt', 2, undefined, {
    subjects: everybody,
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  schema('system-leader-election', 'leader-election', 100, 'ByUser', {
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), account('kube-system', '*')],
    resourceRules: [
      {
        verbs: ['get', 'create', 'update'],
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        namespaces: ['*'],
      },
    ],
  }),
  schema('system-node-high', 'node-high', 400, 'ByUser', {
    subjects: [group('system:nodes')],
    resourceRules: [
      { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
      { verbs: ['*'], apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] },
    ],
  }),
  schema('system-nodes', 'system', 500, 'ByUser', anything(group('system:nodes'))),
  schema(
    'kube-controller-manager',
    'workload-high',
    800,
    'ByNamespace',
    anything(user('system:kube-controller-manager')),
  ),
  schema('kube-scheduler', 'workload-high', 800, 'ByNamespace', anything(user('system:kube-scheduler'))),
  schema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', anything(account('kube-system', '*'))),
  schema('service-accounts', 'workload-low', 9_000, 'ByUser', anything(group('system:serviceaccounts'))),
  schema('global-default', 'global-default', 9_900, 'ByUser', anything(...everybody)),
  schema('catch-all', 'catch-all', 10_000, 'ByUser', anything(...everybody)),
];
