// client-go against us: a program as people write them, over protobuf, built and run with the real module.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { need } from '../../tools/need.mjs';
import { type RunningCluster, startUp } from '../e2e/running-cluster.ts';

let cluster: RunningCluster;

before(async () => {
  cluster = await startUp(['--storage', 'memory']);
});
after(() => cluster.close());

test('client-go: typed and dynamic clients, informers, apply, leader election', async () => {
  const go = need('go', { suite: 'clients' });
  const child = spawn(go, ['run', '.'], {
    cwd: path.resolve(import.meta.dirname, 'go'),
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const code = await new Promise<number>((resolve) => child.on('close', (ended) => resolve(ended ?? -1)));
  assert.equal(code, 0, output);
  assert.equal(output.match(/^PASS /gm)?.length, 8, output);
});
