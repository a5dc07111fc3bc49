import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, FixtureServer } from '../../server/api-server-fixture.ts';

const services = '/api/v1/namespaces/default/services';
let server: FixtureServer;
before(async () => (server = await FixtureServer.start()));
after(() => server.stop());

interface Spec {
  readonly type: string;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly ipFamilies?: readonly string[];
  readonly ipFamilyPolicy?: string;
  readonly healthCheckNodePort?: number;
  readonly ports: readonly { readonly nodePort?: number }[];
}
const spec = (answer: Answer) => answer.body['spec'] as Spec;
const ports = [{ port: 80 }];
const make = (name: string, more: object = {}, query = '') =>
  server.post(`${services}${query}`, { metadata: { name }, spec: { ports, ...more } });
const addressOf = async (ip: string) => (await server.get(`/apis/networking.k8s.io/v1/ipaddresses/${ip}`)).status;

test('the API’s own Service holds the first address', async () => {
  const own = spec(await server.get(`${services}/kubernetes`));
  assert.deepEqual([own.clusterIP, own.ipFamilies, own.ipFamilyPolicy], ['10.0.0.1', ['IPv4'], 'SingleStack']);
  assert.equal(await addressOf('10.0.0.1'), 200);
});

test('a Service gets an address, which is free again when it is gone', async () => {
  const made = spec(await make('plain'));
  const ip = made.clusterIP ?? '';
  assert.match(ip, /^10\.0\.0\.\d+$/);
  assert.deepEqual(made.clusterIPs, [ip]);
  assert.equal(await addressOf(ip), 200);
  const taken = await make('thief', { clusterIP: ip });
  assert.equal(taken.status, 422);
  assert.match(taken.body.message ?? '', /failed to allocate IP .*: provided IP is already allocated/);
  await server.delete(`${services}/plain`);
  assert.equal(await addressOf(ip), 404);
  assert.equal((await make('heir', { clusterIP: ip })).status, 201);
});

test('what a refused or dry write took is given back', async () => {
  const before = (await server.get('/apis/networking.k8s.io/v1/ipaddresses')).body.items.length;
  assert.equal((await make('Not A Name', { type: 'NodePort' })).status, 422);
  assert.equal(
    (await make('dry', { type: 'NodePort', ports: [{ port: 1, nodePort: 31000 }] }, '?dryRun=All')).status,
    201,
  );
  assert.equal((await server.get('/apis/networking.k8s.io/v1/ipaddresses')).body.items.length, before);
  const made = await make('wet', { type: 'NodePort', ports: [{ port: 1, nodePort: 31000 }] });
  assert.equal(made.status, 201);
});

test('node ports are unique, kept by updates, and free when the type no longer has them', async () => {
  const made = await make('node-port', { type: 'NodePort' });
  const port = spec(made).ports[0]?.nodePort ?? 0;
  assert.ok(port >= 30_000 && port <= 32_767);
  const taken = await make('same-port', { type: 'NodePort', ports: [{ port: 80, nodePort: port }] });
  assert.match(taken.body.message ?? '', /provided port is already allocated/);
  const outside = await make('outside', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] });
  assert.match(outside.body.message ?? '', /not in the valid range\. The range of valid ports is 30000-32767/);
  const bare = { metadata: { name: 'node-port' }, spec: { type: 'NodePort', ports } };
  const kept = await server.put(`${services}/node-port`, bare);
  assert.equal(spec(kept).ports[0]?.nodePort, port);
  assert.equal(spec(kept).clusterIP, spec(made).clusterIP);
  await server.put(`${services}/node-port`, { metadata: { name: 'node-port' }, spec: { type: 'ClusterIP', ports } });
  assert.equal((await make('next', { type: 'NodePort', ports: [{ port: 80, nodePort: port }] })).status, 201);
});

test('a load balancer that keeps clients’ addresses has a port for health checks', async () => {
  const made = spec(await make('balanced', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }));
  assert.ok((made.healthCheckNodePort ?? 0) >= 30_000);
  assert.notEqual(made.healthCheckNodePort, made.ports[0]?.nodePort);
});

test('headless Services and external names take no address', async () => {
  const headless = spec(await make('headless', { clusterIP: 'None', selector: { a: 'b' } }));
  assert.deepEqual([headless.clusterIPs, headless.ipFamilies], [['None'], ['IPv4']]);
  const external = spec(await make('external', { type: 'ExternalName', externalName: 'example.com' }));
  assert.deepEqual([external.clusterIP, external.ipFamilies], [undefined, undefined]);
});

test('two families are more than this cluster has', async () => {
  const required = await make('dual', { ipFamilyPolicy: 'RequireDualStack' });
  assert.equal(required.status, 422);
  assert.match(required.body.message ?? '', /this cluster is not configured for dual-stack services/);
  const preferred = spec(await make('preferring', { ipFamilyPolicy: 'PreferDualStack' }));
  assert.deepEqual([preferred.ipFamilies, preferred.ipFamilyPolicy], [['IPv4'], 'PreferDualStack']);
});

test('Services made at once get addresses and ports of their own', async () => {
  const made = await Promise.all(Array.from({ length: 30 }, (_, index) => make(`many-${index}`, { type: 'NodePort' })));
  assert.ok(made.every((answer) => answer.status === 201));
  assert.equal(new Set(made.map((answer) => spec(answer).clusterIP)).size, 30);
  assert.equal(new Set(made.map((answer) => spec(answer).ports[0]?.nodePort)).size, 30);
});
