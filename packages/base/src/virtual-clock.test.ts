// VirtualClock: time moves only when told to, timers fire in order, tasks run to their next wait in between.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from './virtual-clock.ts';

test('VirtualClock advance() fires timers in order of time, then of their making', async () => {
  const clock = new VirtualClock(0);
  const fired: string[] = [];
  clock.setTimer(20, () => fired.push('late'));
  clock.setTimer(10, () => fired.push('first'));
  clock.setTimer(10, () => fired.push('second'));
  const cancelled = clock.setTimer(15, () => fired.push('cancelled'));
  cancelled.cancel();
  await clock.advance(10);
  assert.deepEqual(fired, ['first', 'second']);
  assert.equal(clock.nowMs(), 10);
  await clock.advance(100);
  assert.deepEqual(fired, ['first', 'second', 'late']);
  assert.equal(clock.nowMs(), 110);
});

test('VirtualClock advance() lets tasks that wake up run before the next timer', async () => {
  const clock = new VirtualClock(0);
  const seen: number[] = [];
  const task = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      await clock.sleep(100);
      seen.push(clock.monotonicMs());
    }
  };
  const running = task();
  await clock.advance(1000);
  await running;
  assert.deepEqual(seen, [100, 200, 300]);
});

test('VirtualClock run() drives time until the promise settles, and fails when it never can', async () => {
  const clock = new VirtualClock(0);
  const hours = clock.sleep(7 * 3_600_000).then(() => 'done');
  assert.equal(await clock.run(hours, 8 * 3_600_000), 'done');
  await assert.rejects(clock.run(new Promise(() => {}), 1000), /condition not met/);
});

test('VirtualClock yield() lets other ready tasks run first', async () => {
  const clock = new VirtualClock(0);
  const order: string[] = [];
  const loop = async (name: string): Promise<void> => {
    for (let i = 0; i < 2; i++) {
      order.push(`${name}${i}`);
      await clock.yield();
    }
  };
  await clock.run(Promise.all([loop('a'), loop('b')]));
  assert.deepEqual(order, ['a0', 'b0', 'a1', 'b1']);
});

test('VirtualClock sleep() rejects with the reason of its signal', async () => {
  const clock = new VirtualClock(0);
  const controller = new AbortController();
  const sleeping = clock.sleep(1000, controller.signal);
  controller.abort(new Error('stopped'));
  await assert.rejects(sleeping, /stopped/);
});

test('VirtualClock throws when work goes on for ever at one instant, and says where', async () => {
  const clock = new VirtualClock(0, { turnsMax: 5_000 });
  let stopped = false;
  async function spins(): Promise<void> {
    while (!stopped) await clock.yield();
  }
  await clock.advance(1_500);
  const running = spins();
  const drives = [
    () => clock.settle(),
    () => clock.advance(1_000),
    () => clock.runUntil(() => false),
    () => clock.run(running),
  ];
  for (const drive of drives) {
    await assert.rejects(drive, (error: Error) => {
      assert.match(error.message, /stands still at 1970-01-01T00:00:01\.500Z \(1500 ms after its start\): 5000 turns/);
      assert.match(error.message, /woken by its own writes/);
      assert.match(error.message, /\d+ × a turn given up\n +at spins/);
      return true;
    });
  }
  assert.equal(clock.nowMs(), 1_500);
  stopped = true;
  await clock.settle();
  await running;
  function setsItselfAgain(): void {
    clock.setTimer(0, setsItselfAgain);
  }
  setsItselfAgain();
  await assert.rejects(clock.settle(), /\d+ × a timer of 0 ms set\n +at .*setsItselfAgain/);
});

test('VirtualClock takes many turns for no standstill while time moves', async () => {
  const clock = new VirtualClock(0, { turnsMax: 100 });
  const task = async (): Promise<void> => {
    for (let second = 0; second < 20; second++) {
      for (let i = 0; i < 50; i++) await clock.yield();
      await clock.sleep(1_000);
    }
  };
  const running = task();
  await clock.advance(60_000);
  await running;
  assert.throws(() => new VirtualClock(0, { turnsMax: 0 }), /turnsMax must be above 0/);
});
