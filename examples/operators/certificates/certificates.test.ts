import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Secret } from '@homeostat/api/types/core-v1';
import { secrets } from '@homeostat/client/resources';
import { createTestCluster, operatorComponent, type TestCluster } from '@homeostat/testing';
import { type Certificate, certificateResource, certificates } from './api.ts';
import { certificateController, type Issuer } from './controller.ts';

const hourSeconds = 3_600;

async function start(): Promise<{ cluster: TestCluster; issued: string[] } & AsyncDisposable> {
  const issued: string[] = [];
  const issuer: Issuer = {
    issue({ dnsNames, notAfterMs }) {
      issued.push(`${dnsNames.join(' ')} until ${new Date(notAfterMs).toISOString().slice(5, 13)}`);
      return { certificate: `certificate ${issued.length}`, key: 'key' };
    },
  };
  const operator = operatorComponent({
    name: 'certificate-operator',
    definitions: [certificateResource.definition],
    controllers: [certificateController(issuer)],
  });
  const cluster = await createTestCluster({ controllerManagers: false, components: [operator] });
  await cluster.waitFor(() => cluster.serves(certificates.resource));
  return { cluster, issued, [Symbol.asyncDispose]: () => cluster.stop() };
}

const web = certificates.create({
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    secretName: 'web-tls',
    dnsNames: ['web.example.com'],
    durationSeconds: 24 * hourSeconds,
    renewBeforeSeconds: 8 * hourSeconds,
  },
});
const secretOf = (cluster: TestCluster): Secret | undefined => cluster.get(secrets, 'default', 'web-tls');
const found = (cluster: TestCluster): Certificate | undefined => cluster.get(certificates.resource, 'default', 'web');
const isReady = (cluster: TestCluster): boolean =>
  found(cluster)?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

test('a certificate is issued, and renewed in time, two days in a blink', async () => {
  await using run = await start();
  const { cluster, issued } = run;
  await cluster.run(cluster.admin.create(certificates.resource, { object: web }));
  await cluster.waitFor(() => isReady(cluster));
  assert.equal(atob(secretOf(cluster)?.data?.['tls.crt'] ?? ''), 'certificate 1');
  await cluster.waitFor(() => found(cluster)?.status?.revision === 4, { limitMs: 80 * hourSeconds * 1000 });
  assert.deepEqual(issued, [
    'web.example.com until 01-02T00',
    'web.example.com until 01-02T16',
    'web.example.com until 01-03T08',
    'web.example.com until 01-04T00',
  ]);
});

test('new names and a lost Secret mean a new certificate', async () => {
  await using run = await start();
  const { cluster, issued } = run;
  await cluster.run(cluster.admin.create(certificates.resource, { object: web }));
  await cluster.waitFor(() => isReady(cluster));
  const target = { namespace: 'default', name: 'web' };
  const patch = { spec: { dnsNames: ['web.example.com', 'www.example.com'] } };
  await cluster.run(cluster.admin.patch(certificates.resource, { ...target, type: 'merge', patch }));
  await cluster.waitFor(() => issued.length === 2);
  await cluster.run(cluster.admin.delete(secrets, { namespace: 'default', name: 'web-tls' }));
  await cluster.waitFor(() => issued.length === 3 && secretOf(cluster) !== undefined);
});

test('a Secret of somebody else is left alone, and the rule of the schema holds', async () => {
  await using run = await start();
  const { cluster, issued } = run;
  await cluster.run(cluster.admin.create(secrets, { object: { metadata: { name: 'web-tls', namespace: 'default' } } }));
  await cluster.run(cluster.admin.create(certificates.resource, { object: web }));
  await cluster.waitFor(() => found(cluster)?.status?.conditions?.[0]?.reason === 'SecretTaken');
  assert.deepEqual(issued, []);
  const object = {
    ...web,
    metadata: { name: 'b', namespace: 'default' },
    spec: { ...web.spec, renewBeforeSeconds: 25 * hourSeconds },
  };
  await assert.rejects(
    cluster.run(cluster.admin.create(certificates.resource, { object })),
    /renewed while it is valid/,
  );
});
