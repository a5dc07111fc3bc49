// Namespaces in virtual time: the scenarios of spec/infrastructure.md §8.5, and what every namespace gets (§12-§14).

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConfigMap, Namespace, Secret } from '@homeostat/api/types/core-v1';
import { isApiError } from '@homeostat/base';
import {
  configMaps,
  deployments,
  namespaces,
  pods,
  secrets,
  serviceAccounts,
  services,
} from '@homeostat/client/resources';
import { newDeployment, newPod, newService } from './fixtures/objects.ts';
import { scenario, type Scenario } from './fixtures/scenario.ts';

const namespace = 'gone';

async function populate(s: Scenario): Promise<void> {
  await s.create(namespaces, { metadata: { name: namespace } } as Namespace);
  await s.until(() => s.get(serviceAccounts, 'default', namespace) !== undefined);
}

const conditions = (s: Scenario): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (s.get(namespaces, namespace)?.status?.conditions ?? []).map((each) => [
      each.type,
      `${each.status} ${each.message}`,
    ]),
  );
const inNamespace = <T extends { metadata?: object }>(object: T): T => ({
  ...object,
  metadata: { ...object.metadata, namespace },
});
const remove = (s: Scenario): Promise<unknown> => s.delete(namespaces, namespace);

describe('a namespace that is deleted', () => {
  it('1, 2: takes everything in it along, and can be made again, empty', () =>
    scenario(async (s) => {
      await populate(s);
      await s.create(deployments, newDeployment('web', { namespace }));
      await s.create(services, inNamespace(newService('web', { app: 'web' })));
      await s.create(configMaps, { metadata: { name: 'm', namespace } } as ConfigMap);
      await s.until(() => s.get(deployments, 'web', namespace)?.status?.availableReplicas === 3);
      await remove(s);
      await s.until(() => s.get(namespaces, namespace) === undefined);
      for (const resource of [pods, deployments, services, configMaps, serviceAccounts])
        assert.deepEqual(s.list<{ metadata?: object }>(resource as never, namespace), []);
      await populate(s);
      assert.equal(s.list(pods, namespace).length, 0);
    }));

  it('3: pods go first; what holds them shows, and nothing else goes before', () =>
    scenario(async (s) => {
      await populate(s);
      await s.create(pods, inNamespace(newPod('held', {}, {}, { finalizers: ['test/hold'] })));
      await s.create(configMaps, { metadata: { name: 'm', namespace } } as ConfigMap);
      await remove(s);
      await s.advance(60);
      assert.equal(
        conditions(s)['NamespaceContentRemaining'],
        'True Some resources are remaining: pods. has 1 resource instances',
      );
      assert.equal(
        conditions(s)['NamespaceFinalizersRemaining'],
        'True Some content in the namespace has finalizers remaining: test/hold in 1 resource instances',
      );
      assert.ok(s.get(configMaps, 'm', namespace) !== undefined);
      await s.merge(pods, 'held', { metadata: { finalizers: null } }, { namespace });
      await s.until(() => s.get(namespaces, namespace) === undefined);
    }));

  it('4: says in five conditions what is left', () =>
    scenario(async (s) => {
      await populate(s);
      const deployment = newDeployment('web', { namespace });
      await s.create(deployments, {
        ...deployment,
        metadata: { ...deployment.metadata, finalizers: ['custom.io/finalizer'] },
      });
      await remove(s);
      await s.advance(60);
      assert.deepEqual(conditions(s), {
        NamespaceDeletionDiscoveryFailure: 'False All resources successfully discovered',
        NamespaceDeletionGroupVersionParsingFailure: 'False All legacy kube types successfully parsed',
        NamespaceDeletionContentFailure: 'False All content successfully deleted, may be waiting on finalization',
        NamespaceContentRemaining: 'True Some resources are remaining: deployments.apps has 1 resource instances',
        NamespaceFinalizersRemaining:
          'True Some content in the namespace has finalizers remaining: custom.io/finalizer in 1 resource instances',
      });
      await s.merge(deployments, 'web', { metadata: { finalizers: null } }, { namespace });
      await s.until(() => s.get(namespaces, namespace) === undefined);
    }));

  it('7, 8: gives up its own finalizer alone', () =>
    scenario(async (s) => {
      await populate(s);
      await s.merge(namespaces, namespace, { metadata: { finalizers: ['test/hold'] } });
      await remove(s);
      await s.advance(120);
      assert.deepEqual(s.must(namespaces, namespace).spec?.finalizers ?? [], []);
      assert.equal(s.must(namespaces, namespace).status?.phase, 'Terminating');
      await s.merge(namespaces, namespace, { metadata: { finalizers: null } });
      await s.until(() => s.get(namespaces, namespace) === undefined);
    }));

  it('12: takes nothing new', () =>
    scenario(async (s) => {
      await populate(s);
      await s.merge(namespaces, namespace, { metadata: { finalizers: ['test/hold'] } });
      await remove(s);
      await assert.rejects(
        s.create(configMaps, { metadata: { name: 'late', namespace } } as ConfigMap),
        (error: unknown) =>
          isApiError(error, 'Forbidden') && error.details?.causes?.[0]?.reason === 'NamespaceTerminating',
      );
      await s.advance(60);
      assert.equal(s.get(serviceAccounts, 'default', namespace), undefined);
      assert.equal(s.get(configMaps, 'kube-root-ca.crt', namespace), undefined);
    }));

  it('13: one kind that can not be deleted keeps it, and the others go', () =>
    scenario(async (s) => {
      await populate(s);
      await s.create(configMaps, { metadata: { name: 'm', namespace } } as ConfigMap);
      await s.create(secrets, { metadata: { name: 's', namespace } } as Secret);
      const stop = s.cluster.faults.add({
        match: ({ verb, resource }) => verb === 'deletecollection' && resource === 'secrets',
        fault: { kind: 'answer', status: 500 },
      });
      await remove(s);
      await s.advance(60);
      assert.match(
        conditions(s)['NamespaceDeletionContentFailure'] ?? '',
        /^True Failed to delete all resource types, 1 remaining: injected/,
      );
      assert.equal(s.get(configMaps, 'm', namespace), undefined);
      assert.ok(s.get(secrets, 's', namespace) !== undefined);
      stop();
      await s.until(() => s.get(namespaces, namespace) === undefined);
    }));

  it('6: a hundred of them go in two minutes and a half', () =>
    scenario(async (s) => {
      const names = Array.from({ length: 100 }, (_, index) => `ns-${index}`);
      for (const name of names) await s.create(namespaces, { metadata: { name } } as Namespace);
      await s.advance(10);
      for (const name of names) await s.delete(namespaces, name);
      await s.advance(150);
      const left = names.filter((name) => s.get(namespaces, name) !== undefined);
      assert.deepEqual(left, []);
    }));
});

describe('what every namespace gets', () => {
  it('12: a default ServiceAccount, again when it is deleted', () =>
    scenario(async (s) => {
      await populate(s);
      const uid = s.must(serviceAccounts, 'default', namespace).metadata?.uid;
      await s.delete(serviceAccounts, 'default', { namespace });
      await s.cluster.settle();
      assert.notEqual(s.must(serviceAccounts, 'default', namespace).metadata?.uid, uid);
    }));

  it('14: the CA; its data is put right, its labels are left alone', () =>
    scenario(async (s) => {
      await populate(s);
      const name = 'kube-root-ca.crt';
      const data = (): unknown => s.must(configMaps, name, namespace).data;
      const right = { 'ca.crt': '-----BEGIN CERTIFICATE-----\ndGVzdA==\n-----END CERTIFICATE-----\n' };
      await s.cluster.settle();
      assert.deepEqual(data(), right);
      await s.merge(
        configMaps,
        name,
        { data: { 'ca.crt': 'x', more: 'y' }, metadata: { labels: { a: 'b' } } },
        { namespace },
      );
      await s.cluster.settle();
      assert.deepEqual(data(), right);
      assert.equal(s.must(configMaps, name, namespace).metadata?.labels?.['a'], 'b');
      const note = 'kubernetes.io/description';
      await s.merge(configMaps, name, { metadata: { annotations: { [note]: 'mine' } } }, { namespace });
      await s.cluster.settle();
      assert.equal(s.must(configMaps, name, namespace).metadata?.annotations?.[note], 'mine');
      await s.merge(configMaps, name, { metadata: { annotations: { [note]: null } } }, { namespace });
      await s.cluster.settle();
      assert.match(s.must(configMaps, name, namespace).metadata?.annotations?.[note] ?? '', /^Contains a CA bundle/);
      await s.delete(configMaps, name, { namespace });
      await s.cluster.settle();
      assert.deepEqual(data(), right);
    }));
});

describe('token Secrets', () => {
  const type = 'kubernetes.io/service-account-token';
  const newToken = (name: string, account: string, more = {}): Secret =>
    ({
      metadata: { name, namespace: 'default', annotations: { 'kubernetes.io/service-account.name': account, ...more } },
      type,
    }) as Secret;

  it('13.1: are filled, repaired, and go with their account', () =>
    scenario(async (s) => {
      await s.create(serviceAccounts, { metadata: { name: 'robot', namespace: 'default' } } as never);
      await s.create(secrets, newToken('t', 'robot'));
      await s.advance(1);
      const { data, metadata } = s.must(secrets, 't');
      assert.equal(Buffer.from(data?.['namespace'] ?? '', 'base64').toString(), 'default');
      assert.match(Buffer.from(data?.['token'] ?? '', 'base64').toString(), /^eyJ/);
      assert.equal(
        metadata?.annotations?.['kubernetes.io/service-account.uid'],
        s.must(serviceAccounts, 'robot').metadata?.uid,
      );
      await s.merge(secrets, 't', { data: { token: null } });
      await s.cluster.settle();
      assert.equal(s.must(secrets, 't').data?.['token'], data?.['token']);
      await s.delete(serviceAccounts, 'robot');
      await s.cluster.settle();
      assert.equal(s.get(secrets, 't'), undefined);
    }));

  it('13.1: of an account that is not there, or was another, are deleted', () =>
    scenario(async (s) => {
      await s.create(secrets, newToken('nobody', 'nobody'));
      await s.create(secrets, newToken('earlier', 'default', { 'kubernetes.io/service-account.uid': 'another' }));
      await s.advance(1);
      assert.deepEqual([s.get(secrets, 'nobody'), s.get(secrets, 'earlier')], [undefined, undefined]);
    }));

  it('13.1: that are gone are no longer listed by their account', () =>
    scenario(async (s) => {
      await s.create(secrets, newToken('t', 'default'));
      await s.merge(serviceAccounts, 'default', { secrets: [{ name: 't' }, { name: 'other' }] });
      await s.advance(1);
      await s.delete(secrets, 't');
      await s.advance(1);
      assert.deepEqual(s.must(serviceAccounts, 'default').secrets, [{ name: 'other' }]);
    }));
});
