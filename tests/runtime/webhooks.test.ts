// Webhooks of operators against the API server: in one process and in virtual time, and over TLS with certificates that the
// operator makes itself.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { nodeDigests, startServer, toSigningKey } from '@homeostat/apiserver/node';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { createVirtualEnv, Scope, silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { createClient, createInProcessTransport, isForbidden } from '@homeostat/client';
import {
  configMaps,
  deployments,
  mutatingWebhookConfigurations,
  pods,
  secrets,
  validatingWebhookConfigurations,
} from '@homeostat/client/resources';
import { createManager, createOperator } from '@homeostat/runtime';
import {
  createWebhookServer,
  secretCertificateStore,
  selfSignedCertificates,
  serveOperatorWebhooks,
  serviceHosts,
} from '@homeostat/runtime/node';
import {
  createMutatingWebhook,
  createValidatingWebhook,
  createWebhookHandler,
  installWebhooks,
  type Webhook,
} from '@homeostat/runtime/webhook';
import { createMemoryStore } from '@homeostat/storage/memory';
import { createTestCluster, inProcessWebhooks, operatorComponent } from '@homeostat/testing';

const name = 'memcached-webhooks';
const service = { namespace: 'default', name: 'hooks' };

const map = (mapName: string, data: Readonly<Record<string, string>>): ConfigMap => ({
  metadata: { name: mapName, namespace: 'default' },
  data,
});

const webhooks: readonly Webhook[] = [
  createMutatingWebhook({
    resource: configMaps,
    mutate({ object }) {
      object.data = { size: '3', ...object.data };
    },
  }),
  createValidatingWebhook({
    resource: configMaps,
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    validate({ operation, object, oldObject, warn }) {
      if (operation === 'DELETE') return oldObject.data?.['keep'] === 'yes' ? 'it is to be kept' : undefined;
      if (object.data?.['size'] === '100') warn('that is a lot');
      return Number(object.data?.['size']) >= 0 ? undefined : 'the size must not be negative';
    },
  }),
  createMutatingWebhook({
    resource: pods,
    operations: ['CREATE'],
    mutate({ object }) {
      object.metadata = { ...object.metadata, labels: { ...object.metadata?.labels, injected: 'yes' } };
    },
  }),
];

// cases.md S17
test('webhooks an operator declares are called during tests, without sockets, and leave nothing behind', async () => {
  const { handle } = createWebhookHandler({ env: createVirtualEnv(), webhooks });
  await using cluster = await createTestCluster({
    nodes: 1,
    webhookCaller: inProcessWebhooks({ 'hooks.default.svc': handle }),
  });
  const { admin } = cluster;
  const installed = await cluster.run(installWebhooks({ client: admin, name, webhooks, address: { service } }));

  const made = await cluster.run(admin.create(configMaps, { object: map('a', { x: '1' }) }));
  assert.deepEqual(made.data, { size: '3', x: '1' });
  await assert.rejects(cluster.run(admin.create(configMaps, { object: map('b', { size: '-1' }) })), (error: Error) => {
    assert.ok(isForbidden(error));
    assert.equal(
      error.message,
      'admission webhook "validate.configmaps.core.k8s.io" denied the request: the size must not be negative',
    );
    return true;
  });
  // Other writers are seen too: controllers, and deletions.
  const labels = { app: 'web' };
  await cluster.run(
    admin.create(deployments, {
      object: {
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    }),
  );
  await cluster.waitFor(() => cluster.get(deployments, 'default', 'web')?.status?.availableReplicas === 2);
  for (const pod of cluster.list(pods, 'default')) assert.equal(pod.metadata?.labels?.['injected'], 'yes');
  await cluster.run(admin.create(configMaps, { object: map('kept', { keep: 'yes' }) }));
  await assert.rejects(
    cluster.run(admin.delete(configMaps, { namespace: 'default', name: 'kept' })),
    /it is to be kept/,
  );

  await cluster.run(installed.uninstall());
  await cluster.run(installed.uninstall());
  assert.deepEqual(cluster.list(mutatingWebhookConfigurations), []);
  assert.deepEqual(cluster.list(validatingWebhookConfigurations), []);
  const untouched = await cluster.run(admin.create(configMaps, { object: map('c', { size: '-1' }) }));
  assert.deepEqual(untouched.data, { size: '-1' });
});

test('a webhook server makes its certificate, tells API servers its authority, and is called over TLS', async () => {
  const env = { ...createRealEnv(), log: silentLogger };
  const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const { server, stop } = await startServer({
    env,
    store: createMemoryStore({ env }),
    port: 0,
    digests: nodeDigests,
    keys: { signingKey: async () => key, verificationKeys: () => [key] },
  });
  const user = { username: 'admin', groups: ['system:masters'] };
  const warnings: string[] = [];
  const client = createClient({
    transport: createInProcessTransport({ handle: server.handle, user }),
    env,
    userAgent: 'test/1.0',
    onWarning: (text) => void warnings.push(text),
  });
  const manager = createManager({ env });
  const certificates = selfSignedCertificates({
    env,
    hosts: [...serviceHosts(service), '127.0.0.1'],
    store: secretCertificateStore({ client, namespace: 'default', name: 'hooks-tls' }),
    inject: { client, validating: [name], mutating: [name] },
  });
  const webhookServer = createWebhookServer({ env, webhooks, certificates, port: 0, host: '127.0.0.1' });
  manager.add(webhookServer, { group: 'webhooks' });
  assert.equal(manager.ready().healthy, true); // nothing is asked before it starts
  const scope = new Scope();
  try {
    // As an operator is deployed: configurations first, without a bundle; the server brings it.
    await using installed = await installWebhooks({ client, name, webhooks, address: { service } });
    scope.spawn('manager', (signal) => manager.run({ signal }));
    const { port } = await webhookServer.listening;
    assert.equal(manager.ready().healthy, true);
    const configuration = await client.get(validatingWebhookConfigurations, { name });
    const bundle = Buffer.from(configuration.webhooks?.[0]?.clientConfig.caBundle ?? '', 'base64').toString();
    assert.equal(bundle, certificates.caBundle);
    const secret = await client.get(secrets, { namespace: 'default', name: 'hooks-tls' });
    assert.equal(secret.type, 'kubernetes.io/tls');

    // Loopback has no place in EndpointSlices: the calls themselves go by URL.
    await installWebhooks({
      client,
      name,
      webhooks,
      address: { url: `https://127.0.0.1:${port}` },
      caBundle: certificates.caBundle,
    });
    const made = await client.create(configMaps, { object: map('a', { size: '100' }) });
    assert.deepEqual(made.data, { size: '100' });
    assert.deepEqual(warnings, ['that is a lot']);
    await assert.rejects(client.create(configMaps, { object: map('b', { size: '-1' }) }), isForbidden);
    // An API server that trusts somebody else is not fooled.
    await installed.uninstall();
    await installWebhooks({ client, name, webhooks, address: { url: `https://127.0.0.1:${port}` } });
    await assert.rejects(
      client.create(configMaps, { object: map('c', {}) }),
      /x509: certificate signed by unknown authority/,
    );
  } finally {
    await scope.close();
    await stop();
  }
});

test('webhooks of an operator in a test cluster are called while it runs, and installed after they can be', async () => {
  await using cluster = await createTestCluster({ controllerManagers: false });
  const { admin } = cluster;
  const create = (mapName: string, size: string): Promise<ConfigMap> =>
    cluster.run(admin.create(configMaps, { object: map(mapName, { size }) }));
  const options = { name: 'sizes', controllers: [], webhooks: { handlers: webhooks, address: { service } } };
  const operator = cluster.startOperator(options);
  assert.equal(cluster.list(validatingWebhookConfigurations).length, 0);
  await cluster.waitFor(() => operator.operator.manager.ready().healthy);
  assert.equal(cluster.get(validatingWebhookConfigurations, undefined, 'sizes')?.webhooks?.length, 1);
  assert.equal(cluster.get(mutatingWebhookConfigurations, undefined, 'sizes')?.webhooks?.length, 2);
  await assert.rejects(create('a', '-1'), /the size must not be negative/);
  assert.equal((await cluster.run(admin.create(configMaps, { object: map('b', {}) }))).data?.['size'], '3');
  // Nobody answers for one that crashed; its next life does.
  await cluster.run(operator.crash());
  await assert.rejects(create('c', '1'), /failed calling webhook "mutate.configmaps.core.k8s.io"/);
  cluster.startOperator(options);
  await cluster.settle();
  await create('c', '1');
});

test('webhooks of an operator component are called too, and may be installed by others', async () => {
  const address = { url: 'https://127.0.0.1:9443' };
  const component = operatorComponent({
    name: 'sizes',
    controllers: [],
    webhooks: { handlers: webhooks, address, install: false },
  });
  await using cluster = await createTestCluster({ controllerManagers: false, components: [component] });
  const { admin } = cluster;
  await cluster.settle();
  assert.deepEqual(cluster.list(validatingWebhookConfigurations), []);
  await cluster.run(installWebhooks({ client: admin, name, webhooks, address }));
  await assert.rejects(
    cluster.run(admin.create(configMaps, { object: map('a', { size: '-1' }) })),
    /the size must not be negative/,
  );
});

test('an operator with webhooks says who is to serve them', () => {
  const env = createVirtualEnv();
  const transport = createInProcessTransport({
    handle: () => Promise.reject(new Error('nobody is asked')),
    user: { username: 'admin' },
  });
  const client = createClient({ transport, env, userAgent: 'test/1.0' });
  assert.throws(
    () =>
      createOperator({
        name: 'x',
        client,
        env,
        controllers: [],
        webhooks: { handlers: webhooks, address: { service } },
      }),
    /webhooks have to be served: use runOperator/,
  );
});

test('an operator as a process serves its webhooks with a certificate of its own, then installs them', async () => {
  const env = { ...createRealEnv(), log: silentLogger };
  const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const { server, stop } = await startServer({
    env,
    store: createMemoryStore({ env }),
    port: 0,
    digests: nodeDigests,
    keys: { signingKey: async () => key, verificationKeys: () => [key] },
  });
  const user = { username: 'admin', groups: ['system:masters'] };
  const transport = createInProcessTransport({ handle: server.handle, user });
  const client = createClient({ transport, env, userAgent: 'test/1.0', onWarning: () => {} });
  const port = await freePort();
  const operator = createOperator({
    name,
    client,
    env,
    controllers: [],
    serveWebhooks: serveOperatorWebhooks,
    webhooks: {
      handlers: webhooks,
      address: { url: `https://127.0.0.1:${port}` },
      listen: { host: '127.0.0.1', port },
      certificates: { secret: { namespace: 'default', name: 'hooks-tls' } },
    },
  });
  const scope = new Scope();
  try {
    const watch = await client.watch(mutatingWebhookConfigurations, { signal: scope.signal });
    scope.spawn('operator', (signal) => operator.run({ signal }));
    // Once they are there, they answer: no write is refused in between.
    for await (const { type } of watch) if (type === 'ADDED') break;
    const made = await client.create(configMaps, { object: map('a', { x: '1' }) });
    assert.deepEqual(made.data, { size: '3', x: '1' });
    await assert.rejects(client.create(configMaps, { object: map('b', { size: '-1' }) }), isForbidden);
    const secret = await client.get(secrets, { namespace: 'default', name: 'hooks-tls' });
    assert.equal(secret.type, 'kubernetes.io/tls');
  } finally {
    await scope.close();
    await stop();
  }
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}
