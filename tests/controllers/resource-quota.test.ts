// ResourceQuotas in virtual time, with the admission that enforces them: the scenarios of spec/infrastructure.md §15.5.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConfigMap, ResourceQuota, Secret } from '@homeostat/api/types/core-v1';
import { isApiError } from '@homeostat/base';
import {
  configMaps,
  deployments,
  nodes,
  pods,
  replicaSets,
  resourceQuotas as quotas,
  secrets,
  services,
} from '@homeostat/client/resources';
import { newDeployment, newPod, newReplicaSet, newService } from './fixtures/objects.ts';
import { scenario, type Scenario, type ScenarioOptions } from './fixtures/scenario.ts';

const alone: ScenarioOptions = { nodes: false };

async function limit(s: Scenario, name: string, hard: Readonly<Record<string, string>>, spec = {}): Promise<void> {
  await s.create(quotas, { metadata: { name, namespace: 'default' }, spec: { hard, ...spec } } as ResourceQuota);
  await s.until(() => s.must(quotas, name).status?.used !== undefined, 'the quota’s first count');
}

const used = (s: Scenario, name = 'q'): Readonly<Record<string, string>> => s.must(quotas, name).status?.used ?? {};
const asking = (cpu: string) => ({ containers: [{ name: 'main', image: 'i', resources: { requests: { cpu } } }] });

describe('a ResourceQuota', () => {
  it('1, 2: counts what is there, what comes, and at once what goes', () =>
    scenario(async (s) => {
      await s.create(configMaps, { metadata: { name: 'before', namespace: 'default' } } as ConfigMap);
      const hard = { pods: '5', services: '5', secrets: '5', configmaps: '9', 'count/deployments.apps': '3' };
      await limit(s, 'q', hard);
      assert.deepEqual(s.must(quotas, 'q').status?.hard, hard);
      // The root CA is a ConfigMap, `kubernetes` a Service.
      const start = { pods: '0', services: '1', secrets: '0', configmaps: '2', 'count/deployments.apps': '0' };
      assert.deepEqual(used(s), start);
      await s.create(pods, newPod('p'));
      await s.create(services, newService('web', { app: 'web' }));
      await s.create(secrets, { metadata: { name: 's', namespace: 'default' } } as Secret);
      await s.create(deployments, newDeployment('web', { replicas: 0 }));
      const full = { pods: '1', services: '2', secrets: '1', configmaps: '2', 'count/deployments.apps': '1' };
      assert.deepEqual(used(s), full);
      await s.delete(pods, 'p', { gracePeriodSeconds: 0 });
      await s.delete(services, 'web');
      await s.delete(secrets, 's');
      await s.delete(deployments, 'web');
      await s.cluster.settle();
      assert.deepEqual(used(s), start);
    }, alone));

  it('3: refuses what is too much, and counts it not', () =>
    scenario(async (s) => {
      await limit(s, 'q', { pods: '1', 'requests.cpu': '1' });
      await s.create(pods, newPod('first', {}, asking('600m')));
      await assert.rejects(
        s.create(pods, newPod('second', {}, asking('600m'))),
        (error: unknown) =>
          isApiError(error, 'Forbidden') &&
          error.message.includes(
            'exceeded quota: q, requested: pods=1,requests.cpu=600m, used: pods=1,requests.cpu=600m, limited: pods=1,requests.cpu=1',
          ),
      );
      assert.deepEqual(used(s), { pods: '1', 'requests.cpu': '600m' });
    }, alone));

  it('4: lets go of pods that have ended, but not of their number', () =>
    scenario(async (s) => {
      await limit(s, 'q', { pods: '5', cpu: '2', 'count/pods': '5' });
      await s.create(pods, newPod('p', {}, asking('500m')));
      await s.merge(pods, 'p', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
      await s.cluster.settle();
      assert.deepEqual(used(s), { pods: '0', cpu: '0', 'count/pods': '1' });
    }, alone));

  it('5: lets go of pods that hang in their deletion, with the next full count', () =>
    scenario(
      async (s) => {
        await s.create(nodes, { metadata: { name: 'n' } } as never);
        await limit(s, 'q', { pods: '5' });
        await s.create(pods, newPod('p', {}, { nodeName: 'n', terminationGracePeriodSeconds: 30 }));
        await s.delete(pods, 'p');
        assert.deepEqual(used(s), { pods: '1' });
        await s.advance(400);
        assert.deepEqual(used(s), { pods: '0' });
      },
      { ...alone, controllerManagers: [{ identity: 'kcm-1', controllers: ['*', '-podgc', '-nodelifecycle'] }] },
    ));

  it('6: counts by scope', () =>
    scenario(async (s) => {
      await limit(s, 'best', { pods: '5' }, { scopes: ['BestEffort'] });
      await limit(s, 'rest', { pods: '5' }, { scopes: ['NotBestEffort', 'NotTerminating'] });
      await s.create(pods, newPod('plain'));
      await s.create(pods, newPod('asking', {}, asking('1')));
      await s.create(pods, newPod('timed', {}, { ...asking('1'), activeDeadlineSeconds: 9 }));
      await s.delete(pods, 'plain', { gracePeriodSeconds: 0 });
      await s.cluster.settle();
      assert.deepEqual([used(s, 'best'), used(s, 'rest')], [{ pods: '0' }, { pods: '1' }]);
    }, alone));

  it('8, 13: follows its spec: what is no longer named goes, what is new is counted, what nobody counts has no number', () =>
    scenario(async (s) => {
      await s.create(pods, newPod('p', {}, asking('1')));
      await limit(s, 'q', { pods: '5', secrets: '1' });
      await s.merge(quotas, 'q', { spec: { hard: { secrets: null, cpu: '4', 'count/widgets.example.com': '1' } } });
      await s.cluster.settle();
      assert.deepEqual(s.must(quotas, 'q').status, {
        hard: { pods: '5', cpu: '4', 'count/widgets.example.com': '1' },
        used: { pods: '1', cpu: '1' },
      });
    }, alone));

  it('9: sees a Service that gives up its node ports', () =>
    scenario(async (s) => {
      await limit(s, 'q', { 'services.nodeports': '3' });
      await s.create(services, newService('web', { app: 'web' }, { type: 'NodePort' }));
      assert.deepEqual(used(s), { 'services.nodeports': '1' });
      await s.merge(services, 'web', {
        spec: { type: 'ClusterIP', ports: [{ name: 'http', port: 80, nodePort: null }] },
      });
      await s.cluster.settle();
      assert.deepEqual(used(s), { 'services.nodeports': '0' });
    }, alone));

  it('12: is put right by the next full count when its status was tampered with', () =>
    scenario(async (s) => {
      await limit(s, 'q', { pods: '5' });
      await s.merge(quotas, 'q', { status: { used: { pods: '4' } } }, { subresource: 'status' });
      await s.advance(310);
      assert.deepEqual(used(s), { pods: '0' });
    }, alone));

  it('11: counts the rest while one resource can not be listed, and that when it can', () =>
    scenario(
      async (s) => {
        const stop = s.cluster.faults.add({
          match: ({ resource, verb }) => resource === 'cronjobs' && (verb === 'list' || verb === 'watch'),
          fault: { kind: 'answer', status: 500 },
        });
        s.cluster.startControllerManager({ identity: 'kcm-1' });
        await s.advance(60);
        await s.create(quotas, {
          metadata: { name: 'q', namespace: 'default' },
          spec: { hard: { pods: '5', 'count/cronjobs.batch': '5' } },
        } as ResourceQuota);
        await s.advance(5);
        assert.deepEqual(used(s), { pods: '0' });
        stop();
        await s.advance(120);
        assert.deepEqual(used(s), { pods: '0', 'count/cronjobs.batch': '0' });
      },
      { ...alone, controllerManagers: false },
    ));

  it('keeps a ReplicaSet from more pods, visibly, as long as it is too small', () =>
    scenario(async (s) => {
      await limit(s, 'q', { pods: '2' });
      await s.create(replicaSets, newReplicaSet('web', { replicas: 3 }));
      await s.until(() => s.get(replicaSets, 'web')?.status?.readyReplicas === 2);
      const [condition] = s.must(replicaSets, 'web').status?.conditions ?? [];
      assert.equal(`${condition?.type} ${condition?.reason}`, 'ReplicaFailure FailedCreate');
      assert.match(condition?.message ?? '', /exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2$/);
      await s.merge(quotas, 'q', { spec: { hard: { pods: '3' } } });
      await s.until(() => s.get(replicaSets, 'web')?.status?.readyReplicas === 3);
      assert.equal(s.must(replicaSets, 'web').status?.conditions, undefined);
    }));
});
