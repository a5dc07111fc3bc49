import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Scope, silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { createMemoryStore } from '@homeostat/storage/memory';
import { parseTokenFile } from './authentication/static-tokens.ts';
import { nodeDigests, toSigningKey } from './node/node-crypto.ts';
import type { ApiServer } from './server/api-server-options.ts';
import { createApiServer } from './server/api-server.ts';
import { createStandardParts } from './standard-parts.ts';

const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const tokens = 'admin-token,admin,admin-uid,system:masters\njane-token,jane,jane-uid,"dev,qa"\n';
const scope = new Scope();
let server: ApiServer;

before(async () => {
  const env = { ...createRealEnv(), log: silentLogger };
  server = createApiServer({
    env,
    store: createMemoryStore({ env }),
    parts: (host) =>
      createStandardParts(host, {
        digests: nodeDigests,
        keys: { signingKey: async () => key, verificationKeys: () => [key] },
        serverAddress: () => '127.0.0.1:6443',
        clientCa: 'authority\n',
        staticTokens: parseTokenFile(tokens),
      }),
  });
  scope.spawn('server', (signal) => server.run({ signal }));
  await server.ready;
});

after(() => scope.close());

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function ask(method: string, path: string, options: { token?: string; object?: unknown } = {}): Promise<Answer> {
  const headers: Record<string, string> =
    options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  const [pathname = '', query = ''] = path.split('?');
  const response = await server.handle({
    method,
    path: pathname,
    query,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(options.object === undefined
      ? {}
      : { body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(options.object)) } }),
    signal: new AbortController().signal,
  });
  assert.equal(response.body.kind, 'bytes');
  const text = response.body.kind === 'bytes' ? Buffer.concat([...response.body.chunks]).toString() : '';
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : { text } };
}

test('a fresh server answers health to anybody and nothing else', async () => {
  assert.deepEqual(await ask('GET', '/readyz'), { status: 200, body: { text: 'ok' } });
  const refused = await ask('GET', '/api');
  assert.equal(refused.status, 403);
  assert.equal(refused.body['message'], 'forbidden: User "system:anonymous" cannot get path "/api"');
  assert.equal((await ask('GET', '/readyz', { token: 'wrong' })).status, 401);
});

test('a ServiceAccount gets a token and is known by it until it is deleted', async () => {
  const token = 'admin-token';
  await ask('POST', '/api/v1/namespaces/default/serviceaccounts', { token, object: { metadata: { name: 'robot' } } });
  const request = await ask('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', { token, object: {} });
  assert.equal(request.status, 201);
  const robot = (request.body['status'] as { token: string }).token;
  const review = await ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { token: robot, object: {} });
  const { userInfo } = review.body['status'] as { userInfo: { username: string; groups: string[] } };
  assert.equal(userInfo.username, 'system:serviceaccount:default:robot');
  assert.ok(userInfo.groups.includes('system:authenticated'));
  await ask('DELETE', '/api/v1/namespaces/default/serviceaccounts/robot', { token });
  assert.equal((await ask('GET', '/api', { token: robot })).status, 401);
});

test('RBAC lets users do what bindings say, and grant no more than they hold', async () => {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const list = () => ask('GET', '/api/v1/namespaces/default/configmaps', { token: 'jane-token' });
  assert.equal((await list()).status, 403);
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] },
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create'] },
  ];
  await ask('POST', `${rbac}/roles`, { token: 'admin-token', object: { metadata: { name: 'r' }, rules } });
  const binding = {
    metadata: { name: 'b' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'dev' }],
  };
  await ask('POST', `${rbac}/rolebindings`, { token: 'admin-token', object: binding });
  assert.equal((await list()).status, 200);
  const more = { metadata: { name: 'more' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['delete'] }] };
  const refused = await ask('POST', `${rbac}/roles`, { token: 'jane-token', object: more });
  assert.equal(
    refused.body['message'],
    'roles.rbac.authorization.k8s.io "more" is forbidden: user "jane" (groups=["dev" "qa" "system:authenticated"]) is ' +
      'attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
  );
});

test('who may do everything within a namespace reaches no other through it', async () => {
  const token = 'admin-token';
  const robot = 'system:serviceaccount:default:master';
  const account = { metadata: { name: 'master' } };
  await ask('POST', '/api/v1/namespaces/default/serviceaccounts', { token, object: account });
  const binding = {
    metadata: { name: 'all' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: robot }],
  };
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  await ask('POST', `${rbac}/rolebindings`, { token, object: binding });
  const request = await ask('POST', '/api/v1/namespaces/default/serviceaccounts/master/token', { token, object: {} });
  const own = { token: (request.body['status'] as { token: string }).token };
  const through = '/api/v1/namespaces/default';
  assert.equal((await ask('GET', through, own)).status, 200);
  assert.equal((await ask('GET', '/api/v1/namespaces', own)).status, 403);
  assert.equal((await ask('GET', `${through}/namespaces`, own)).status, 404);
  assert.equal((await ask('GET', `${through}/namespaces/kube-public`, own)).status, 404);
  assert.equal((await ask('DELETE', `${through}/namespaces/kube-public`, own)).status, 404);
  assert.equal((await ask('GET', `${through}/nodes`, own)).status, 404);
});

test('discovery lists what is served', async () => {
  const { body } = await ask('GET', '/apis/apps/v1', { token: 'jane-token' });
  assert.equal(body['kind'], 'APIResourceList');
  const names = (body['resources'] as { name: string }[]).map(({ name }) => name);
  assert.ok(names.includes('deployments/scale'));
  assert.equal((await ask('GET', '/apis/none', { token: 'jane-token' })).status, 404);
});

/** Asks until the answer is the wanted one; the runner's time limit ends a wait for what never comes. */
async function eventually<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('the authority of client certificates is published, beside those of other servers', async () => {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  const token = 'admin-token';
  const published = (text: string) =>
    eventually(
      () => ask('GET', path, { token }),
      ({ body }) => (body['data'] as Record<string, string> | undefined)?.['client-ca-file'] === text,
    );
  const { body } = await published('authority\n');
  await ask('PUT', path, { token, object: { ...body, data: { 'client-ca-file': 'other\n' } } });
  await published('other\nauthority\n');
});

test('groups of custom resources are registered as long as they are served', async () => {
  const token = 'admin-token';
  const path = '/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com';
  const { resources } = server.host;
  const leases = resources.find('coordination.k8s.io', 'v1', 'leases');
  assert.ok(leases);
  resources.add({ ...leases, group: 'example.com', storage: { ...leases.storage, prefix: 'example.com/leases' } }, {});
  const { body } = await eventually(
    () => ask('GET', path, { token }),
    ({ status }) => status === 200,
  );
  assert.deepEqual(body['spec'], {
    group: 'example.com',
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 100,
  });
  resources.remove('example.com', 'v1', 'leases');
  await eventually(
    () => ask('GET', path, { token }),
    ({ status }) => status === 404,
  );
});

test('a flow schema learns whether its level exists', async () => {
  const token = 'admin-token';
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  const spec = { priorityLevelConfiguration: { name: 'none' }, matchingPrecedence: 7 };
  const object = { metadata: { name: 'mine' }, spec };
  assert.equal((await ask('POST', path, { token, object })).status, 201);
  const { body } = await eventually(
    () => ask('GET', `${path}/mine`, { token }),
    (answer) => (answer.body['status'] as { conditions?: unknown[] } | undefined)?.conditions !== undefined,
  );
  const [condition] = (body['status'] as { conditions: { status: string; reason: string }[] }).conditions;
  assert.deepEqual([condition?.status, condition?.reason], ['True', 'NotFound']);
});
