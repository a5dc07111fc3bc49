import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, ResourceQuota, Service } from '@homeostat/api/types/core-v1';
import { newConflict, newNotFound } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { attributesOf } from '../admission-fixture.ts';
import { QuotaLedger, type QuotaStore } from './quota-ledger.ts';

interface FakeStore extends QuotaStore {
  readonly quotas: Map<string, ResourceQuota>;
  writes: number;
  /** Run once, just before the next write. */
  beforeWrite?: () => void;
}

function storeOf(...quotas: ResourceQuota[]): FakeStore {
  const resource = { group: '', resource: 'resourcequotas' };
  const store: FakeStore = {
    quotas: new Map(quotas.map((quota) => [quota.metadata?.name ?? '', quota])),
    writes: 0,
    list: async () => [...store.quotas.values()],
    nowMs: () => 0,
    writeStatus: async (quota) => {
      await Promise.resolve();
      const race = store.beforeWrite;
      delete store.beforeWrite;
      race?.();
      const name = quota.metadata?.name ?? '';
      const stored = store.quotas.get(name);
      if (stored === undefined) throw newNotFound(resource, name);
      if (stored.metadata?.resourceVersion !== quota.metadata?.resourceVersion)
        throw newConflict(resource, name, 'changed');
      store.writes++;
      store.quotas.set(name, bumped(quota));
    },
  };
  return store;
}

function bumped(quota: ResourceQuota): ResourceQuota {
  const resourceVersion = String(Number(quota.metadata?.resourceVersion) + 1);
  return { ...quota, metadata: { ...quota.metadata, resourceVersion } };
}

function quota(hard: Record<string, string>, used?: Record<string, string>, more: object = {}): ResourceQuota {
  const status = used === undefined ? { hard } : { hard, used };
  return { metadata: { name: 'q', namespace: 'x', resourceVersion: '1' }, spec: { hard, ...more }, status };
}

function usedOf(store: FakeStore): unknown {
  return store.quotas.get('q')?.status?.used;
}

function pod(name: string, more: Partial<AdmissionAttributes> = {}, spec: object = {}): AdmissionAttributes {
  const object: Pod = {
    metadata: { name, namespace: 'x' },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '600m' } } }], ...spec },
  };
  return attributesOf(object, more);
}

test('what fits is charged, what does not is refused with what is too much', async () => {
  const store = storeOf(quota({ pods: '5', 'requests.cpu': '1' }, { pods: '0', 'requests.cpu': '0' }));
  const ledger = new QuotaLedger(store);
  await ledger.charge(pod('a'));
  assert.deepEqual(usedOf(store), { pods: '1', 'requests.cpu': '600m' });
  await assert.rejects(ledger.charge(pod('b')), {
    message:
      'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
  });
  assert.deepEqual(usedOf(store), { pods: '1', 'requests.cpu': '600m' });
});

test('requests that come together are charged together, and only as many as fit', async () => {
  const store = storeOf(quota({ pods: '3' }, { pods: '0' }));
  const ledger = new QuotaLedger(store);
  const results = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((name) => ledger.charge(pod(name))));
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
  assert.deepEqual(usedOf(store), { pods: '3' });
  assert.equal(store.writes, 2);
});

test('a dry run is checked but charges nothing', async () => {
  const store = storeOf(quota({ pods: '1' }, { pods: '0' }));
  const ledger = new QuotaLedger(store);
  await ledger.charge(pod('a', { dryRun: true }));
  assert.equal(store.writes, 0);
  await ledger.charge(pod('a'));
  await assert.rejects(ledger.charge(pod('b', { dryRun: true })), /exceeded quota/);
});

test('a write that lost is decided again from what is stored now', async () => {
  const store = storeOf(quota({ pods: '2' }, { pods: '0' }));
  const ledger = new QuotaLedger(store);
  const use = (pods: string) => () =>
    void store.quotas.set('q', bumped({ ...store.quotas.get('q'), status: { hard: { pods: '2' }, used: { pods } } }));
  store.beforeWrite = use('1');
  await ledger.charge(pod('a'));
  assert.deepEqual(usedOf(store), { pods: '2' });
  store.quotas.set('q', quota({ pods: '2' }, { pods: '0' }));
  store.beforeWrite = use('2');
  await assert.rejects(ledger.charge(pod('b')), /exceeded quota: q/);
});

test('a quota deleted meanwhile limits nobody; other failures are told', async () => {
  const store = storeOf(quota({ pods: '2' }, { pods: '0' }));
  store.beforeWrite = () => store.quotas.clear();
  await new QuotaLedger(store).charge(pod('a'));
  const failing = {
    ...storeOf(quota({ pods: '2' }, { pods: '0' })),
    writeStatus: () => Promise.reject(new Error('disk full')),
  };
  await assert.rejects(new QuotaLedger(failing).charge(pod('a')), { message: 'disk full' });
});

test('quotas that do not know yet what is used let nothing pass; those without status count nothing', async () => {
  const ledger = new QuotaLedger(storeOf(quota({ pods: '1' })));
  await assert.rejects(ledger.charge(pod('a')), {
    message: 'pods "a" is forbidden: status unknown for quota: q, resources: pods',
  });
  await new QuotaLedger(storeOf({ ...quota({ pods: '0' }), status: {} })).charge(pod('a'));
});

test('a quota on limits asks every container to state them', async () => {
  const ledger = new QuotaLedger(storeOf(quota({ 'limits.memory': '1Gi' }, { 'limits.memory': '0' })));
  await assert.rejects(ledger.charge(pod('a')), {
    message: 'pods "a" is forbidden: failed quota: q: must specify limits.memory for: c',
  });
});

test('updates are charged by what they add', async () => {
  const store = storeOf(quota({ 'services.nodeports': '1' }, { 'services.nodeports': '0' }));
  const ledger = new QuotaLedger(store);
  const service = (type: string, ports: number): Service =>
    ({
      metadata: { name: 's', namespace: 'x' },
      spec: { type, ports: Array.from({ length: ports }, (_, index) => ({ port: index + 1 })) },
    }) as Service;
  const update = (object: Service, oldObject: Service): Promise<void> =>
    ledger.charge(
      attributesOf(object, {
        operation: 'UPDATE',
        resource: { group: '', version: 'v1', resource: 'services' },
        oldObject,
      }),
    );
  await update(service('NodePort', 1), service('ClusterIP', 1));
  assert.deepEqual(usedOf(store), { 'services.nodeports': '1' });
  await assert.rejects(update(service('NodePort', 2), service('NodePort', 1)), {
    message:
      /exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1/,
  });
  await update(service('ClusterIP', 1), service('NodePort', 1));
  assert.deepEqual(usedOf(store), { 'services.nodeports': '1' });
});

test('scopes decide which Pods a quota is about', async () => {
  const store = storeOf(quota({ pods: '0' }, { pods: '0' }, { scopes: ['BestEffort', 'NotTerminating'] }));
  const ledger = new QuotaLedger(store);
  const containers = [{ name: 'c', image: 'i' }];
  await ledger.charge(pod('burstable'));
  await ledger.charge(pod('deadline', {}, { containers, activeDeadlineSeconds: 60 }));
  await assert.rejects(ledger.charge(pod('best', {}, { containers })), /exceeded quota: q/);
});
