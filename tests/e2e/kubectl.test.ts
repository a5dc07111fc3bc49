// The story a newcomer plays, with the real kubectl against `homeostat up`.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type RunningCluster, startUp } from './running-cluster.ts';

const manifests = path.resolve(import.meta.dirname, '../../examples/manifests');
let cluster: RunningCluster;

before(async () => {
  cluster = await startUp();
});
after(() => cluster.close());

test('kubectl apply brings the example manifests up', async () => {
  const applied = await cluster.kubectlOk('apply', '-f', manifests);
  assert.match(applied, /deployment\.apps\/web created/);
  await cluster.kubectlOk('wait', '--for=condition=Available', 'deployment', '--all', '-A', '--timeout=60s');
  const wide = await cluster.kubectlOk('get', 'pods', '-o', 'wide', '-n', 'guestbook');
  assert.match(wide, /NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\s+IP\s+NODE/);
  assert.equal(wide.match(/frontend-\S+\s+1\/1\s+Running/g)?.length, 3);
  assert.match(await cluster.kubectlOk('apply', '-f', manifests), /deployment\.apps\/web unchanged/);
});

test('a deleted Pod comes back', async () => {
  const names = async (): Promise<string[]> =>
    (await cluster.kubectlOk('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].metadata.name}'))
      .split(' ')
      .sort();
  const before = await names();
  assert.equal(before.length, 3);
  await cluster.kubectlOk('delete', 'pod', before[0] ?? '');
  await cluster.kubectlOk('rollout', 'status', 'deployment/web', '--timeout=60s');
  const afterwards = await names();
  assert.equal(afterwards.length, 3);
  assert.equal(afterwards.includes(before[0] ?? ''), false);
});

test('kubectl scale, set image, rollout status, history and undo drive a Deployment', async () => {
  await cluster.kubectlOk('scale', 'deployment/web', '--replicas=5');
  await cluster.kubectlOk('rollout', 'status', 'deployment/web', '--timeout=60s');
  await cluster.kubectlOk('set', 'image', 'deployment/web', 'web=nginx:1.30');
  await cluster.kubectlOk('rollout', 'status', 'deployment/web', '--timeout=60s');
  assert.match(await cluster.kubectlOk('rollout', 'history', 'deployment/web'), /^2\s/m);
  await cluster.kubectlOk('rollout', 'undo', 'deployment/web');
  await cluster.kubectlOk('rollout', 'status', 'deployment/web', '--timeout=60s');
  const image = await cluster.kubectlOk(
    'get',
    'deployment',
    'web',
    '-o',
    'jsonpath={.spec.template.spec.containers[0].image}',
  );
  assert.equal(image, 'nginx:1.29');
  const ready = await cluster.kubectlOk('get', 'deployment', 'web', '-o', 'jsonpath={.status.readyReplicas}');
  assert.equal(ready, '5');
});

test('kubectl describe, explain, api-resources, auth can-i and logs answer', async () => {
  const described = await cluster.kubectlOk('describe', 'deployment', 'web');
  assert.match(described, /ScalingReplicaSet/);
  assert.match(await cluster.kubectlOk('explain', 'deployment.spec.strategy'), /rollingUpdate/);
  assert.match(await cluster.kubectlOk('api-resources'), /deployments\s+deploy\s+apps\/v1\s+true\s+Deployment/);
  assert.equal((await cluster.kubectlOk('auth', 'can-i', 'create', 'pods')).trim(), 'yes');
  const denied = await cluster.kubectl('auth', 'can-i', 'delete', 'nodes', '--as', 'jane');
  assert.equal(denied.stdout.trim(), 'no');
  const pod = await cluster.kubectlOk('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[0].metadata.name}');
  assert.notEqual((await cluster.kubectlOk('logs', pod)).trim(), '');
});

test('Services have endpoints, and lose them with their Pods', async () => {
  const addresses = async (): Promise<number> =>
    (
      await cluster.kubectlOk(
        'get',
        'endpointslices',
        '-l',
        'kubernetes.io/service-name=web',
        '-o',
        'jsonpath={.items[*].endpoints[*].addresses[0]}',
      )
    )
      .split(' ')
      .filter((address) => address !== '').length;
  assert.equal(await addresses(), 5);
  await cluster.kubectlOk('scale', 'deployment/web', '--replicas=0');
  await cluster.kubectlOk('wait', '--for=delete', 'pod', '-l', 'app=web', '--timeout=60s');
  assert.equal(await addresses(), 0);
});

test('kubectl delete -f takes everything away, the namespace too', async () => {
  await cluster.kubectlOk('delete', '-f', manifests, '--timeout=90s');
  const left = await cluster.kubectl('get', 'namespace', 'guestbook');
  assert.match(left.stderr, /not found/);
  assert.equal((await cluster.kubectlOk('get', 'pods,replicasets', '-A', '-o', 'name')).trim(), '');
});
