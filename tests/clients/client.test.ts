// The client as a user has it: a kubeconfig, TLS, HTTP/2, against our own API server.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import {
  type CertificatePair,
  createAuthority,
  issueCertificate,
  nodeDigests,
  type StartedServer,
  startServer,
  toSigningKey,
} from '@homeostat/apiserver/node';
import { createVirtualEnv, silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import {
  type Client,
  type ClientOptions,
  createClient,
  createRestMapper,
  type ResourceType,
  subresourceOf,
  type Transport,
} from '@homeostat/client';
import { createHttpTransport, createKubeconfigTransport, inClusterConnection } from '@homeostat/client/node';
import { configMaps, customResourceDefinitions, deployments, leases } from '@homeostat/client/resources';
import type { KubeObject } from '@homeostat/machinery';
import { createMemoryStore } from '@homeostat/storage/memory';

const env = { ...createRealEnv(), log: silentLogger };
const folder = mkdtempSync(join(tmpdir(), 'client-'));
const file = (name: string): string => join(folder, name);
const write = (name: string, content: string | object): string => {
  writeFileSync(file(name), typeof content === 'string' ? content : JSON.stringify(content));
  return file(name);
};

let server: StartedServer;
let admin: CertificatePair;
const transports: Transport[] = [];

before(async () => {
  const validity = { nowMs: env.clock.nowMs(), days: 1 };
  const authority = await createAuthority({ commonName: 'test-ca' }, validity);
  const [serving, client] = await Promise.all([
    issueCertificate(authority, { commonName: 'server', usage: 'server', hosts: ['127.0.0.1'] }, validity),
    issueCertificate(authority, { commonName: 'admin', organization: 'system:masters', usage: 'client' }, validity),
  ]);
  admin = client;
  write('ca.pem', authority.cert);
  const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const user = (username: string) => ({ username, uid: '', groups: ['system:masters'], extra: {} });
  server = await startServer({
    env,
    store: createMemoryStore({ env }),
    host: '127.0.0.1',
    port: 0,
    digests: nodeDigests,
    keys: { signingKey: async () => key, verificationKeys: () => [key] },
    staticTokens: new Map([
      ['first', user('jane')],
      ['second', user('joe')],
    ]),
    tls: { cert: serving.cert, key: serving.key, clientCa: [authority.cert] },
  });
});

after(async () => {
  for (const transport of transports) await transport.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

function connect(user: object, options: Partial<ClientOptions> = {}): Client {
  const path = write('config', {
    'current-context': 'x',
    clusters: [{ name: 'c', cluster: { server: server.url, 'certificate-authority': 'ca.pem' } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  });
  const { transport } = createKubeconfigTransport({ env, path, environment: process.env });
  transports.push(transport);
  return createClient({ transport, env, userAgent: 'test/1.0', ...options });
}

const byCertificate = (): object => ({
  'client-certificate-data': btoa(admin.cert),
  'client-key-data': btoa(admin.key),
});

interface Widget extends KubeObject {
  readonly spec?: { readonly size?: number; readonly color?: string };
}

const typeOf = ({ group, version, kind }: ResourceType): { readonly apiVersion: string; readonly kind: string } => ({
  apiVersion: `${group}/${version}`,
  kind,
});

interface Review extends KubeObject {
  readonly status: { readonly userInfo: { readonly username: string; readonly groups: readonly string[] } };
}

async function whoAmI(client: Client): Promise<Review['status']['userInfo']> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const review = await client.request({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body,
  });
  return (review as Review).status.userInfo;
}

describe('a client from a kubeconfig', () => {
  it('proves itself by certificate, and acts as somebody else with several groups', async () => {
    assert.equal((await whoAmI(connect(byCertificate()))).username, 'admin');
    const acting = connect(byCertificate(), { impersonate: { user: 'wanda', groups: ['a', 'b'] } });
    const { username, groups } = await whoAmI(acting);
    assert.equal(username, 'wanda');
    assert.deepEqual(groups.slice(0, 2), ['a', 'b']);
    const inFile = connect({ ...byCertificate(), as: 'wim', 'as-groups': ['c', 'd'] });
    assert.deepEqual((await whoAmI(inFile)).groups.slice(0, 2), ['c', 'd']);
  });

  it('J9 gets past a token that a plugin gave and the server no longer takes: one 401, then the next token', async () => {
    const give = (token: string): void => {
      const credential = { kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status: { token } };
      write('credential', credential);
    };
    const client = connect({
      exec: {
        command: 'cat',
        args: [file('credential')],
        apiVersion: 'client.authentication.k8s.io/v1',
        interactiveMode: 'Never',
      },
    });
    give('expired');
    await assert.rejects(whoAmI(client), { code: 401 });
    give('second');
    assert.deepEqual(await Promise.all([whoAmI(client), whoAmI(client)]), Array(2).fill(await whoAmI(client)));
    assert.equal((await whoAmI(client)).username, 'joe');
  });

  it('J9 follows the token that a Pod is given', async () => {
    const virtual = createVirtualEnv();
    write('token', 'first');
    write('ca.crt', readFileSync(file('ca.pem'), 'utf8'));
    const { hostname: host, port } = new URL(server.url);
    const transport = createHttpTransport({
      ...inClusterConnection({ env: virtual, host, port, folder }),
      env: virtual,
    });
    transports.push(transport);
    const client = createClient({ transport, env: virtual, userAgent: 'test/1.0' });
    assert.equal((await whoAmI(client)).username, 'jane');
    write('token', 'second');
    await virtual.clock.advance(60_000);
    assert.equal((await whoAmI(client)).username, 'joe');
  });

  it('follows a token file', async () => {
    write('token', 'second\n');
    assert.equal((await whoAmI(connect({ tokenFile: 'token', token: 'first' }))).username, 'joe');
  });
});

describe('a client over HTTP/2', () => {
  let client: Client;
  before(() => {
    client = connect(byCertificate());
  });
  const named = { namespace: 'default', name: 'web' };

  it('applies parts, patches in every way, and reads a typed subresource', async () => {
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    };
    const made = await client.apply(deployments, {
      object: { metadata: named, spec: { selector: { matchLabels: { app: 'web' } }, template } },
      fieldManager: 'owner',
    });
    assert.equal(made.spec?.replicas, 1);
    await client.apply(deployments, { object: { metadata: named, spec: { replicas: 3 } }, fieldManager: 'scaler' });
    const json = await client.patch(deployments, {
      ...named,
      type: 'json',
      patch: [
        { op: 'test', path: '/spec/replicas', value: 3 },
        { op: 'add', path: '/spec/paused', value: true },
      ],
    });
    assert.equal(json.spec?.paused, true);
    const merge = await client.patch(deployments, { ...named, type: 'merge', patch: { spec: { paused: null } } });
    assert.equal(merge.spec?.paused, undefined);
    const strategic = await client.patch(deployments, {
      ...named,
      type: 'strategic',
      patch: { spec: { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } } },
    });
    assert.equal(strategic.spec?.template.spec?.containers.length, 2);
    const scales = subresourceOf<KubeObject & { readonly spec?: { readonly replicas?: number } }>(deployments, {
      subresource: 'scale',
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
    });
    const scale = await client.get(scales, named);
    assert.equal(scale.kind, 'Scale');
    assert.equal(scale.spec?.replicas, 3);
    await client.update(scales, { object: { ...scale, spec: { replicas: 5 } } });
    assert.equal((await client.get(deployments, named)).spec?.replicas, 5);
    await assert.rejects(client.list(scales), /needs a name/);
    await client.delete(deployments, { ...named, dryRun: true });
    assert.equal((await client.get(deployments, named)).metadata?.name, 'web');
  });

  it('handles kinds that it knows from discovery alone', async () => {
    const mapper = createRestMapper({ client, env });
    const limits = await mapper.resourceFor({ group: '', version: 'v1', kind: 'LimitRange' });
    assert.ok(limits.verbs.includes('patch'));
    await client.create(limits, {
      namespace: 'default',
      object: { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'a' } },
    });
    const { items } = await client.list(limits, { namespace: 'default' });
    assert.deepEqual(
      items.map(({ metadata }) => metadata?.name),
      ['a'],
    );
    await assert.rejects(mapper.resourceFor('widgets'), { name: 'NoMatchError' });
  });

  it('C8 uses a kind whose definition comes later: create, apply, watch, patch and list it', async () => {
    const virtual = createVirtualEnv();
    const mapper = createRestMapper({ client, env: virtual });
    const kind = { group: 'example.com', version: 'v1', kind: 'Widget' };
    await assert.rejects(mapper.resourceFor(kind), /no matches for kind "Widget" in version "example.com\/v1"/);
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string' } } } },
    };
    await client.create(customResourceDefinitions, {
      object: {
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'widgets', kind: 'Widget', shortNames: ['wi'] },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
        },
      },
    });
    // Missed a moment ago, the kind is looked for again after three seconds.
    await virtual.clock.advance(3_000);
    const widgets = (await mapper.resourceFor(kind)) as ResourceType<Widget>;
    assert.equal(await mapper.resourceFor('wi'), widgets);
    const metadata = { namespace: 'default', name: 'a' };
    await client.create(widgets, { object: { ...typeOf(widgets), metadata, spec: { size: 1 } } });
    const stop = new AbortController();
    const events = await client.watch(widgets, { namespace: 'default', resourceVersion: '0', signal: stop.signal });
    await client.apply(widgets, { object: { metadata, spec: { color: 'blue' } }, fieldManager: 'painter' });
    const patched = await client.patch(widgets, { ...metadata, type: 'merge', patch: { spec: { size: 2 } } });
    assert.deepEqual(patched.spec, { size: 2, color: 'blue' });
    const sizes: (number | undefined)[] = [];
    for await (const { object } of events) {
      sizes.push(object.spec?.size);
      if (object.spec?.size === 2) stop.abort();
    }
    assert.equal(sizes.at(-1), 2);
    assert.equal((await client.listAll(widgets)).items.length, 1);
  });

  it('pages, watches and renews a Lease while hundreds of requests are under way', async () => {
    const create = (i: number): Promise<ConfigMap> =>
      client.create(configMaps, { object: { metadata: { name: `m${i}`, namespace: 'default' } } });
    const stop = new AbortController();
    const events = await client.watch(configMaps, { namespace: 'default', signal: stop.signal });
    const seen = new Set<string>();
    const watching = (async () => {
      for await (const { type, object } of events) {
        seen.add(`${type} ${object.metadata?.name}`);
        if (seen.size === 300) stop.abort();
      }
    })();
    const creating = Promise.all(Array.from({ length: 300 }, (_, i) => create(i)));
    const lease = await client.create(leases, {
      object: { metadata: { name: 'l', namespace: 'default' }, spec: { holderIdentity: 'me' } },
    });
    assert.equal(lease.spec?.holderIdentity, 'me');
    await creating;
    await watching;
    assert.ok(seen.has('ADDED m299'));
    const pages: number[] = [];
    for await (const { items } of client.listPages(configMaps, { namespace: 'default', limit: 128 }))
      pages.push(items.length);
    assert.deepEqual(pages, [128, 128, 44]);
    assert.equal((await client.listAll(configMaps, { namespace: 'default', limit: 128 })).items.length, 300);
  });
});
