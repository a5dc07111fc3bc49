// The homeostat command without kubectl: its own get, apply, delete and events, and what it says to wrong usage.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { lockDirectory } from '@homeostat/storage/sqlite';
import { type RunningCluster, startUp } from './running-cluster.ts';

const web = path.resolve(import.meta.dirname, '../../examples/manifests/web.yaml');
let cluster: RunningCluster;

before(async () => {
  cluster = await startUp(['--storage', 'memory', '--nodes', '1']);
});
after(() => cluster.close());

test('homeostat apply, get, events and delete do without kubectl', async () => {
  const applied = await cluster.homeostat('apply', '-f', web);
  assert.match(applied.stdout, /deployment\.apps\/web created\nservice\/web created/);
  await cluster.kubectlOk('rollout', 'status', 'deployment/web', '--timeout=60s');
  assert.match((await cluster.homeostat('get', 'deploy,svc')).stdout, /deployment\.apps\/web\s+3\/3[^]*service\/web/);
  assert.match((await cluster.homeostat('get', 'pods', '-o', 'wide')).stdout, /NODE/);
  assert.match((await cluster.homeostat('get', 'deploy', 'web', '-o', 'yaml')).stdout, /^kind: Deployment$/m);
  assert.match((await cluster.homeostat('events')).stdout, /ScalingReplicaSet/);
  assert.match((await cluster.homeostat('apply', '-f', web)).stdout, /unchanged/);
  assert.match((await cluster.homeostat('delete', '-f', web)).stdout, /deployment\.apps "web" deleted/);
  assert.match(
    (await cluster.homeostat('get', 'deploy', 'web')).stderr,
    /Error from server \(NotFound\): deployments\.apps "web" not found/,
  );
});

test('homeostat says what is wrong with a command line, and ends with 1', async () => {
  const unknownFlag = await cluster.homeostat('up', '--secure-prt', '0');
  assert.equal(unknownFlag.code, 1);
  assert.match(unknownFlag.stderr, /unknown option '--secure-prt'[^]*--secure-port/);
  const unknownType = await cluster.homeostat('get', 'nonsense');
  assert.equal(unknownType.code, 1);
  assert.match(unknownType.stderr, /the server doesn't have a resource type "nonsense"/);
  const badFile = await cluster.homeostat('apply', '-f', '/does/not/exist.yaml');
  assert.match(badFile.stderr, /does not exist/);
  const port = new URL(cluster.url).port;
  const taken = await cluster.homeostat(
    'apiserver',
    '--storage',
    'memory',
    '--data-dir',
    `${cluster.dataDir}-other`,
    '--secure-port',
    port,
  );
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /port \d+ on 127\.0\.0\.1 is taken/);
});

test('a server says what it can not be started with, ends with 1 and leaves nothing open', async () => {
  const bad = `${cluster.dataDir}-bad.pem`;
  writeFileSync(bad, 'no certificate\n');
  const dataDir = `${cluster.dataDir}-refused`;
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    ['--service-cluster-ip-range', 'foo', /--service-cluster-ip-range foo: must be a range/],
    ['--bind-address', '300.1.1.1', /--bind-address 300\.1\.1\.1 is no IP address/],
    ['--client-ca-file', bad, /--client-ca-file .* holds no PEM certificate/],
    ['--enable-admission-plugins', 'Foo', /--enable-admission-plugins: .*"Foo"/],
    ['--service-node-port-range', '9-1', /--service-node-port-range 9-1/],
    ['--logging-format', 'xml', /--logging-format xml/],
    ['--data-dir', `${bad}/below`, /--data-dir .*below/],
    ['--kubeconfig-out', `${bad}/kubeconfig`, /error: .*bad\.pem/],
  ];
  for (const [flag, value, message] of wrong) {
    const ran = await cluster.homeostat('apiserver', '--secure-port', '0', '--data-dir', dataDir, flag, value);
    assert.equal(ran.code, 1, flag);
    assert.match(ran.stderr, message);
    assert.doesNotMatch(ran.stderr, /^ +at /m);
  }
  writeFileSync(path.join(dataDir, 'pki/ca.key'), 'no key\n');
  const broken = await cluster.homeostat('apiserver', '--secure-port', '0', '--data-dir', dataDir);
  assert.match(broken.stderr, /^error: .*pki\/ca\.key can't be read/);
});

test('homeostat reset deletes nothing that is in use or not its own', async () => {
  const dataDir = `${cluster.dataDir}-held`;
  mkdirSync(dataDir);
  const foreign = await cluster.homeostat('reset', '--yes', '--data-dir', dataDir);
  assert.match(foreign.stderr, /does not look like a data directory/);
  writeFileSync(path.join(dataDir, 'state.db'), '');
  const lock = lockDirectory(dataDir, 0);
  const held = await cluster.homeostat('reset', '--yes', '--data-dir', dataDir);
  assert.equal(held.code, 1);
  assert.match(held.stderr, new RegExp(`in use by process ${process.pid}`));
  lock.release();
  assert.equal((await cluster.homeostat('reset', '--yes', '--data-dir', dataDir)).code, 0);
  assert.equal(existsSync(dataDir), false);
});

test('homeostat ends quietly when nobody reads on', async () => {
  const bin = path.resolve(import.meta.dirname, '../../packages/cli/bin/homeostat.mjs');
  const child = spawn(process.execPath, [bin, 'demo', '--virtual-time'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  child.stdout.once('data', () => child.stdout.destroy());
  const [code] = (await once(child, 'close')) as [number];
  assert.deepEqual([code, errors], [0, '']);
});

test('homeostat version, help and completion answer', async () => {
  assert.match((await cluster.homeostat('version')).stdout, /Kubernetes v1\.36\.2/);
  assert.match((await cluster.homeostat('up', '--help')).stdout, /--data-dir/);
  for (const shell of ['bash', 'zsh', 'fish'])
    assert.match((await cluster.homeostat('completion', shell)).stdout, /controller-manager/);
});
