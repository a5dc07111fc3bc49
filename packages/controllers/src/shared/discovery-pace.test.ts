import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { DiscoveryPace } from './discovery-pace.ts';

const never = new AbortController().signal;

test('discovery is due after its period, and soon after definitions changed', async () => {
  const env = createVirtualEnv();
  const pace = new DiscoveryPace(env.clock);
  const times: number[] = [];
  const start = env.clock.monotonicMs();
  const loop = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await pace.pause(never);
      times.push(env.clock.monotonicMs() - start);
    }
  };
  const done = loop();
  await env.clock.advance(30_000);
  await env.clock.advance(1_000);
  pace.note();
  pace.note();
  await env.clock.advance(5_000);
  await env.clock.advance(30_000);
  await done;
  assert.deepEqual(times, [30_000, 31_200, 61_200]);
});

test('what changes while discovery runs is not missed; a stop ends the wait', async () => {
  const env = createVirtualEnv();
  const pace = new DiscoveryPace(env.clock);
  pace.note();
  const due = pace.pause(never);
  await env.clock.advance(200);
  await due;
  const stop = new AbortController();
  const stopped = pace.pause(stop.signal);
  stop.abort(new Error('stop'));
  await assert.rejects(stopped, /stop/);
});
