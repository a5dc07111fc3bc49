// The real helm: install with --wait, upgrade, rollback, uninstall of a local chart.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type RunningCluster, startUp } from './running-cluster.ts';

const chart = path.resolve(import.meta.dirname, 'chart');
let cluster: RunningCluster;

before(async () => {
  cluster = await startUp(['--storage', 'memory']);
});
after(() => cluster.close());

async function helmOk(...args: readonly string[]): Promise<string> {
  const ran = await cluster.helm(...args);
  assert.equal(ran.code, 0, `helm ${args.join(' ')}:\n${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

test('helm installs, upgrades, rolls back and uninstalls a chart', async () => {
  const greeting = (): Promise<string> =>
    cluster.kubectlOk('get', 'configmap', 'demo-greeting', '-o', 'jsonpath={.data.greeting}');
  assert.match(await helmOk('install', 'demo', chart, '--wait', '--timeout', '90s'), /STATUS: deployed/);
  assert.match(await cluster.kubectlOk('get', 'deployment', 'demo'), /2\/2/);
  await helmOk('upgrade', 'demo', chart, '--set', 'greeting=bonjour,replicas=3', '--wait', '--timeout', '90s');
  assert.equal(await greeting(), 'bonjour');
  assert.match(await cluster.kubectlOk('get', 'deployment', 'demo'), /3\/3/);
  await helmOk('rollback', 'demo', '1', '--wait', '--timeout', '90s');
  assert.equal(await greeting(), 'hello');
  assert.match(await helmOk('list'), /demo\s+default\s+3/);
  await helmOk('uninstall', 'demo', '--wait', '--timeout', '90s');
  assert.equal(
    (
      await cluster.kubectlOk(
        'get',
        'deployments,configmaps,services',
        '-l',
        'app.kubernetes.io/managed-by=Helm',
        '-o',
        'name',
      )
    ).trim(),
    '',
  );
});
