// The simulated runtime keeps the port's promises, by the clock.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Pod } from '@homeostat/api/types/core-v1';
import { createVirtualEnv } from '@homeostat/base';
import { container, podOf } from '../pod/fixture.ts';
import { RuntimeFailure } from '../runtime/container-runtime.ts';
import { AddressPool, parseRange } from './address-pool.ts';
import { fingerprint } from './fingerprint.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';

const never = new AbortController().signal;

function setup(annotations: Readonly<Record<string, string>> = {}) {
  const env = createVirtualEnv();
  const addresses = new AddressPool(() => parseRange('10.244.0.0/29') ?? { base: 0, size: 0 });
  const runtime = new SimulatedRuntime({ env, addresses });
  const prefixed = Object.entries(annotations).map(([key, value]) => [`simulated.homeostat.dev/${key}`, value]);
  const base = podOf();
  const pod: Pod = { ...base, metadata: { ...base.metadata, annotations: Object.fromEntries(prefixed) } };
  const start = async (attempt = 0): Promise<string> => {
    const id = await runtime.createContainer({ pod, container: container('c'), kind: 'regular', attempt });
    await runtime.startContainer(id, never);
    return id;
  };
  return { env, runtime, pod, start, state: () => runtime.view('u-1').containers[0] };
}

it('a container runs for its time and ends with its code, attempt by attempt', async () => {
  const { env, runtime, pod, start, state } = setup({ 'run-for': '2s', 'exit-code': '1,0' });
  const changes: string[] = [];
  runtime.onChange((uid) => changes.push(uid));
  await runtime.createSandbox(pod, 0);
  await start();
  assert.equal(state()?.state, 'running');
  const before = changes.length;
  await env.clock.advance(2_000);
  assert.deepEqual([state()?.state, state()?.exitCode, state()?.reason], ['exited', 1, 'Error']);
  assert.ok(changes.length > before);
  await start(1);
  await env.clock.advance(2_000);
  assert.deepEqual([state()?.exitCode, state()?.reason], [0, 'Completed']);
  await start(2);
  assert.deepEqual(
    runtime.view('u-1').containers.map(({ attempt }) => attempt),
    [2, 1],
    'of ended instances one is kept',
  );
});

it('TERM ends it in its own time, KILL when that is too long; a later call may shorten the wait', async () => {
  const polite = setup({ 'stop-delay': '3s', 'stop-exit-code': '143' });
  await polite.runtime.createSandbox(polite.pod, 0);
  const stopped = polite.runtime.stopContainer(await polite.start(), 10_000);
  await polite.env.clock.run(stopped);
  assert.deepEqual([polite.env.clock.monotonicMs(), polite.state()?.exitCode], [3_000, 143]);
  const deaf = setup({ 'stop-delay': 'never' });
  await deaf.runtime.createSandbox(deaf.pod, 0);
  const id = await deaf.start();
  const first = deaf.runtime.stopContainer(id, 100_000);
  await deaf.env.clock.advance(1_000);
  await deaf.env.clock.run(deaf.runtime.stopContainer(id, 5_000));
  assert.deepEqual([deaf.env.clock.monotonicMs(), deaf.state()?.exitCode, deaf.state()?.reason], [6_000, 137, 'Error']);
  await first;
});

it('addresses are unique, given back, and refused when there are none left', async () => {
  const { runtime, pod } = setup();
  const other = (uid: string): Pod => ({ ...pod, metadata: { ...pod.metadata, uid } });
  const seen = new Set<string>();
  for (let index = 0; index < 5; index++) {
    await runtime.createSandbox(other(`p${index}`), 0);
    seen.add(runtime.view(`p${index}`).sandbox?.ips[0] ?? '');
  }
  assert.deepEqual([...seen], ['10.244.0.2', '10.244.0.3', '10.244.0.4', '10.244.0.5', '10.244.0.6']);
  await assert.rejects(runtime.createSandbox(other('late'), 0), RuntimeFailure);
  await runtime.stopSandbox('p2');
  await runtime.createSandbox(other('late'), 0);
  assert.deepEqual(runtime.view('late').sandbox?.ips, ['10.244.0.4']);
});

it('nothing stays of a Pod that is removed, not even a timer', async () => {
  const { env, runtime, pod, start } = setup({ 'run-for': '1h' });
  await runtime.createSandbox(pod, 0);
  await start();
  await runtime.removePod('u-1');
  assert.deepEqual([...runtime.uids()], []);
  assert.equal(runtime.view('u-1').containers.length, 0);
  await assert.rejects(
    env.clock.runUntil(() => false, 7_200_000),
    /condition not met/,
  );
});

it('a log is read from the end, from a time, and followed to the end', async () => {
  const { env, runtime, pod, start } = setup({ 'log-lines': 'hello', 'log-every': '10s', 'run-for': '35s' });
  await runtime.createSandbox(pod, 0);
  const containerId = await start();
  await env.clock.advance(25_000);
  const read = async (options: {
    follow?: boolean;
    sinceMs?: number;
    tailLines?: number;
  }): Promise<readonly string[]> => {
    const { follow = false, sinceMs, tailLines } = options;
    const lines: string[] = [];
    const all = async (): Promise<void> => {
      const log = runtime.logs({ pod, containerId, follow, sinceMs, tailLines }, never);
      for await (const { text } of log) lines.push(text);
    };
    await env.clock.run(all());
    return lines;
  };
  const started = 'container c (image busybox:1.36) started, attempt 0';
  assert.deepEqual(await read({}), [started, 'hello', 'c: line 1', 'c: line 2']);
  assert.deepEqual(await read({ tailLines: 1 }), ['c: line 2']);
  assert.deepEqual(await read({ sinceMs: env.clock.nowMs() - 10_000 }), ['c: line 2']);
  const stop = new AbortController();
  const followed = runtime.logs({ pod, containerId, follow: true, sinceMs: undefined, tailLines: 0 }, stop.signal);
  const nothing = followed[Symbol.asyncIterator]().next();
  stop.abort(new Error('nobody reads it any more'));
  assert.equal((await env.clock.run(nothing)).done, true);
  assert.deepEqual(await read({ tailLines: 0, follow: true }), ['c: line 3', 'exited with code 0']);
});

it('fingerprints are 64 hex digits, the same for the same text, and do not meet', () => {
  assert.match(fingerprint('a'), /^[0-9a-f]{64}$/);
  assert.equal(fingerprint('a'), fingerprint('a'));
  const seen = new Set(Array.from({ length: 100_000 }, (_unused, index) => fingerprint(`uid-${index}/c/0`)));
  assert.equal(seen.size, 100_000);
});
