// The guide "Running an operator in a cluster", done: its manifests on a real server, two replicas of the example with a token of its
// account and no other right. One is killed, the other goes on.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { createRealEnv } from '@homeostat/base/node';
import { type RunningCluster, startUp } from './running-cluster.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { clock } = createRealEnv();
const directory = mkdtempSync(path.join(tmpdir(), 'homeostat-operator-'));
const replicas: Replica[] = [];
let cluster: RunningCluster;

interface Replica {
  readonly process: ChildProcess;
  readonly port: number;
  log: string;
}

before(async () => {
  cluster = await startUp(['--storage', 'memory']);
});
after(async () => {
  for (const { process: child } of replicas) child.kill('SIGKILL');
  await cluster?.close();
  rmSync(directory, { recursive: true });
});

test('two replicas do their work with the rights of the guide, and one goes on when the other is killed', async () => {
  const manifests = path.join(directory, 'manifests.yaml');
  writeFileSync(manifests, manifestsOf('running-in-a-cluster.md'));
  await cluster.kubectlOk('apply', '-f', manifests);
  const token = (
    await cluster.kubectlOk('create', 'token', 'memcached-operator', '--namespace', 'memcached-system')
  ).trim();
  const kubeconfig = await kubeconfigWith(token);
  const refused = await cluster.kubectl('--kubeconfig', kubeconfig, 'get', 'secrets', '--all-namespaces');
  assert.match(refused.stderr, /Forbidden/, 'what the guide does not grant is refused');
  const first = await start(kubeconfig);
  const second = await start(kubeconfig);
  for (const replica of [first, second]) await until(replica, () => answers(replica, '/readyz'));

  await make('sessions');
  await until(first, () => has('deployment/sessions', '{.spec.replicas}', '2'));
  await until(first, () => has('memcached/sessions', '{.status.conditions[0].type}', 'Available'));
  await until(first, () => has('memcached/sessions', '{.metadata.finalizers[0]}', 'cache.example.com/inventory'));
  const event = ['--field-selector', 'reason=Created,involvedObject.kind=Memcached'];
  await until(first, async () => (await cluster.kubectl('get', 'events', ...event)).stdout.includes('sessions'));

  // Whoever leads: its port says so.
  const leads = async ({ port }: Replica): Promise<boolean> =>
    (await get(port, '/metrics', token)).text.includes('leader_election_master_status{name="memcached-operator"} 1');
  assert.equal(await leads(first), false, 'an account that was given no right to read metrics reads none');
  await cluster.kubectlOk(
    'create',
    'clusterrolebinding',
    'reads-metrics',
    '--clusterrole=memcached-operator-metrics-reader',
    '--serviceaccount=memcached-system:memcached-operator',
  );
  const leading =
    (await until(first, async () => (await leads(first)) || (await leads(second)))) && (await leads(first));
  const [killed, left] = leading ? [first, second] : [second, first];
  const held = await holder();
  killed.process.kill('SIGKILL');
  await once(killed.process, 'exit');
  await make('later');
  await until(left, () => has('deployment/later', '{.spec.replicas}', '2'));
  assert.notEqual(await holder(), held);

  await cluster.kubectlOk('delete', 'memcached', 'sessions', 'later', '--timeout=30s');
  left.process.kill('SIGTERM');
  assert.deepEqual(await once(left.process, 'exit'), [0, null]);
  for (const { log } of replicas) assert.doesNotMatch(log, /forbidden/i);
});

/** All YAML of a guide, as one stream. */
function manifestsOf(guide: string): string {
  const text = readFileSync(path.join(root, 'docs/guides', guide), 'utf8');
  return Array.from(text.matchAll(/```yaml\n([\s\S]*?)```/g), ([, yaml]) => yaml).join('---\n');
}

async function kubeconfigWith(token: string): Promise<string> {
  const file = path.join(directory, 'kubeconfig');
  const view = await cluster.kubectlOk('config', 'view', '--raw', '--minify', '--flatten', '-o', 'json');
  const config = JSON.parse(view) as { clusters: [{ name: string }] };
  const [{ name }] = config.clusters;
  const context = { cluster: name, user: 'operator', namespace: 'memcached-system' };
  const mine = {
    ...config,
    users: [{ name: 'operator', user: { token } }],
    contexts: [{ name: 'operator', context }],
    'current-context': 'operator',
  };
  writeFileSync(file, JSON.stringify(mine), { mode: 0o600 });
  return file;
}

async function start(kubeconfig: string): Promise<Replica> {
  const port = await freePort();
  const main = path.join(root, 'examples/operators/memcached/main.ts');
  const child = spawn(process.execPath, [main, '--port', String(port), '--host', '127.0.0.1'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  const replica: Replica = { process: child, port, log: '' };
  const keep = (chunk: Buffer): void => void (replica.log += chunk.toString('utf8'));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  replicas.push(replica);
  return replica;
}

async function make(name: string): Promise<void> {
  const file = path.join(directory, `${name}.json`);
  const metadata = { name, namespace: 'default' };
  const object = { apiVersion: 'cache.example.com/v1', kind: 'Memcached', metadata, spec: { size: 2 } };
  writeFileSync(file, JSON.stringify(object));
  await cluster.kubectlOk('apply', '-f', file);
}

function holder(): Promise<string> {
  const lease = ['lease', 'memcached-operator', '-n', 'memcached-system'];
  return cluster.kubectlOk('get', ...lease, '-o', 'jsonpath={.spec.holderIdentity}');
}

async function has(object: string, jsonPath: string, value: string): Promise<boolean> {
  return (await cluster.kubectl('get', object, '-n', 'default', '-o', `jsonpath=${jsonPath}`)).stdout === value;
}

async function get(port: number, url: string, token?: string): Promise<{ status: number; text: string }> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`http://127.0.0.1:${port}${url}`, { headers }).catch(() => undefined);
  return { status: response?.status ?? 0, text: (await response?.text()) ?? '' };
}

async function answers({ port }: Replica, url: string): Promise<boolean> {
  return (await get(port, url)).status === 200;
}

/** Asks until it is so; other processes do the work. Rejects after a minute, with what the replica said. */
async function until(replica: Replica, condition: () => Promise<boolean>): Promise<true> {
  for (const endMs = clock.monotonicMs() + 60_000; clock.monotonicMs() < endMs; await clock.sleep(250))
    if (await condition()) return true;
  throw new Error(`waited a minute in vain for ${condition.toString()}; the replica said:\n${replica.log}`);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}
