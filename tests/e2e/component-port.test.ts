// The port of a component that runs alone: who may read it is asked of the API server; the component leads, and tells so.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { type RunningCluster, startUp } from './running-cluster.ts';

const bin = path.resolve(import.meta.dirname, '../../packages/cli/bin/homeostat.mjs');
let cluster: RunningCluster;
let component: ChildProcess;
let port = 0;

before(async () => {
  cluster = await startUp();
  port = await freePort();
  const { kubeconfig } = cluster;
  component = spawn(
    process.execPath,
    [
      bin,
      'controller-manager',
      ...['--kubeconfig', kubeconfig, '--authorization-kubeconfig', kubeconfig, '--secure-port', String(port)],
      ...['--controllers', 'ttl-controller', '--leader-elect-resource-name', 'second'],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOMEOSTAT_PARENT_PID: String(process.pid) } },
  );
  assert.ok(component.stderr);
  for await (const line of createInterface({ input: component.stderr })) if (line.includes('"running"')) break;
  component.stderr.resume();
});
after(async () => {
  if (component.exitCode === null) {
    component.kill('SIGTERM');
    await once(component, 'exit');
  }
  await cluster.close();
});

test('health is for everybody; metrics and diagnostics are for those whom the API server lets', async () => {
  for (const name of ['reader', 'visitor']) await cluster.kubectlOk('create', 'serviceaccount', name);
  await cluster.kubectlOk('create', 'clusterrole', 'metrics', '--verb=get', '--non-resource-url=/metrics');
  const subject = '--serviceaccount=default:reader';
  await cluster.kubectlOk('create', 'clusterrolebinding', 'metrics', '--clusterrole=metrics', subject);
  const reader = (await cluster.kubectlOk('create', 'token', 'reader')).trim();
  const visitor = (await cluster.kubectlOk('create', 'token', 'visitor')).trim();
  assert.deepEqual(await get('/healthz'), { status: 200, text: 'ok' });
  assert.equal((await get('/metrics')).status, 401);
  assert.equal((await get('/metrics', 'nonsense')).status, 401);
  assert.deepEqual(await get('/metrics', visitor), {
    status: 403,
    text: 'Authorization denied for user system:serviceaccount:default:visitor\n',
  });
  const metrics = await get('/metrics', reader);
  assert.equal(metrics.status, 200);
  assert.match(metrics.text, /^leader_election_master_status\{name="second"\} [01]$/m);
  assert.equal((await get('/debug/state', reader)).status, 403, 'another path is another right');
});

test('who leads is told by an event on the Lease', async () => {
  // The event follows the Lease within moments.
  const event = ['get', 'events', '-n', 'kube-system', '--field-selector', 'involvedObject.name=second', '-o', 'json'];
  for (;;) {
    const { items } = JSON.parse(await cluster.kubectlOk(...event)) as { items: readonly Record<string, unknown>[] };
    const [first] = items;
    if (first === undefined) continue;
    assert.equal(first['reason'], 'LeaderElection');
    assert.match(String(first['message']), / became leader$/);
    break;
  }
});

function get(url: string, token?: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    // Its certificate is its own, made in memory.
    https
      .get({ host: '127.0.0.1', port, path: url, headers, rejectUnauthorized: false, agent: false }, (incoming) => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
      })
      .on('error', reject);
  });
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return free;
}
