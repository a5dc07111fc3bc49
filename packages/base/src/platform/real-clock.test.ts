// The real clock: only what can be shown without waiting.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { realClock } from './real-clock.ts';

test('realClock setTimer() takes delays beyond 2^31 ms without firing at once (case R6)', async () => {
  let fired = false;
  const timer = realClock.setTimer(2 ** 40, () => {
    fired = true;
  });
  await realClock.yield();
  await realClock.yield();
  timer.cancel();
  assert.equal(fired, false);
});

test('realClock sleep() rejects at once when its signal has aborted', async () => {
  await assert.rejects(realClock.sleep(1e9, AbortSignal.abort(new Error('no'))), /no/);
});
