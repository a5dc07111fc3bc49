import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Clock, VirtualClock } from '@homeostat/base';
import fc from 'fast-check';
import { createHeapClock } from './heap-clock.ts';
import { Gate } from './gate.ts';

it('timers fire in their order, cancelled ones never, with one timer below', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ delayMs: fc.nat(1_000), cancel: fc.boolean() }), { maxLength: 200 }),
      async (plan) => {
        const below = new VirtualClock();
        let pending = 0;
        const counting: Clock = {
          nowMs: () => below.nowMs(),
          monotonicMs: () => below.monotonicMs(),
          sleep: (delayMs, signal) => below.sleep(delayMs, signal),
          yield: () => below.yield(),
          setTimer: (delayMs, callback) => {
            pending++;
            const timer = below.setTimer(delayMs, () => {
              pending--;
              callback();
            });
            return {
              cancel: () => {
                pending--;
                timer.cancel();
              },
            };
          },
        };
        const clock = createHeapClock(counting);
        const fired: { index: number; atMs: number }[] = [];
        const timers = plan.map(({ delayMs }, index) =>
          clock.setTimer(delayMs, () => fired.push({ index, atMs: below.monotonicMs() })),
        );
        assert.ok(pending <= 1);
        for (const [index, { cancel }] of plan.entries()) if (cancel) timers[index]?.cancel();
        await below.advance(2_000);
        const expected = plan
          .map(({ delayMs, cancel }, index) => ({ index, atMs: delayMs, cancel }))
          .filter(({ cancel }) => !cancel)
          .sort((a, b) => a.atMs - b.atMs || a.index - b.index)
          .map(({ index, atMs }) => ({ index, atMs }));
        assert.deepEqual(fired, expected);
        assert.equal(pending, 0);
      },
    ),
  );
});

it('a gate lets its number through, in order, whatever becomes of them', async () => {
  const gate = new Gate(2);
  const order: number[] = [];
  let inside = 0;
  const pass = (index: number): Promise<void> =>
    gate.run(async () => {
      inside++;
      assert.ok(inside <= 2);
      order.push(index);
      await Promise.resolve();
      inside--;
      if (index % 3 === 0) throw new Error('refused');
    });
  const results = await Promise.allSettled(Array.from({ length: 9 }, (_unused, index) => pass(index)));
  assert.deepEqual(order, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 3);
});
