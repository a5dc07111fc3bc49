import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createVirtualEnv, silentLogger } from '@homeostat/base';
import { runOnChange } from './run-on-change.ts';

const env = () => ({ ...createVirtualEnv({ seed: 1 }), log: silentLogger });

/** Lets everything run that waits for nothing but microtasks. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test('passes once at the start and once per burst of changes, and ends with the signal', async () => {
  const stopping = new AbortController();
  let passes = 0;
  let notify = (): void => {};
  let stopped = false;
  const running = runOnChange(
    {
      env: env(),
      name: 'test',
      subscribe: (wake) => {
        notify = wake;
        return [() => void (stopped = true)];
      },
      pass: async () => void passes++,
    },
    stopping.signal,
  );
  await settle();
  assert.equal(passes, 1);
  notify();
  notify();
  await settle();
  assert.equal(passes, 2);
  stopping.abort();
  await running;
  assert.equal(passes, 2);
  assert.equal(stopped, true);
});

test('a change during a pass leads to another pass', async () => {
  const stopping = new AbortController();
  let passes = 0;
  let notify = (): void => {};
  const running = runOnChange(
    {
      env: env(),
      name: 'test',
      subscribe: (wake) => {
        notify = wake;
        return [];
      },
      pass: async () => {
        if (++passes === 1) notify();
      },
    },
    stopping.signal,
  );
  await settle();
  assert.equal(passes, 2);
  stopping.abort();
  await running;
});

test('a pass that failed is repeated after a while', async () => {
  const stopping = new AbortController();
  const virtual = createVirtualEnv({ seed: 1 });
  let passes = 0;
  const running = runOnChange(
    {
      env: { ...virtual, log: silentLogger },
      name: 'test',
      subscribe: () => [],
      pass: async () => {
        if (++passes === 1) throw new Error('no luck');
      },
    },
    stopping.signal,
  );
  await settle();
  assert.equal(passes, 1);
  await virtual.clock.advance(1000);
  await settle();
  assert.equal(passes, 2);
  stopping.abort();
  await running;
});
