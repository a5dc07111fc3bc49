// A restart loses nothing: killed with SIGKILL in the middle of its life, the cluster goes on where it was.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type RunningCluster, startUp } from './running-cluster.ts';

let cluster: RunningCluster;

before(async () => {
  cluster = await startUp();
});
after(() => cluster.close());

test('homeostat up keeps all objects over kill -9, and goes on converging', async () => {
  await cluster.kubectlOk('apply', '-f', path.resolve(import.meta.dirname, '../../examples/manifests/web.yaml'));
  await cluster.kubectlOk('rollout', 'status', 'deployment/web', '--timeout=60s');
  const uids = (): Promise<string> =>
    cluster.kubectlOk(
      'get',
      'pods,deployments,services',
      '-o',
      'jsonpath={range .items[*]}{.metadata.uid}{"\\n"}{end}',
    );
  const before = await uids();
  await cluster.restart('SIGKILL');
  assert.equal(await uids(), before);
  const pod = await cluster.kubectlOk('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[0].metadata.name}');
  await cluster.kubectlOk('delete', 'pod', pod);
  await cluster.kubectlOk('wait', '--for=condition=Available', 'deployment/web', '--timeout=60s');
  const ready = await cluster.kubectlOk('get', 'deployment', 'web', '-o', 'jsonpath={.status.readyReplicas}');
  assert.equal(ready, '3');
});

test('homeostat up drains and ends with 0 on SIGTERM, and starts again', async () => {
  await cluster.restart('SIGTERM');
  assert.match(await cluster.kubectlOk('get', 'deployment', 'web'), /3\/3/);
});

test('a second instance on the same data says who holds it', async () => {
  const second = await cluster.homeostat('up', '--secure-port', '0', '--data-dir', cluster.dataDir);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /in use/);
});
