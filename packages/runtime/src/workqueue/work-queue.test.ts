// Queue, delays, limiters and metrics. Case ids: C3, C4, C16, G4, G5, R6.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createVirtualEnv } from '@homeostat/base';
import { createPrometheusMetrics } from '@homeostat/base/node';
import { createDelayingQueue } from './delaying-queue.ts';
import {
  createBucketLimiter,
  createExponentialLimiter,
  createFastSlowLimiter,
  createMaxOfLimiter,
  createMaxWaitLimiter,
} from './rate-limiter.ts';
import { createRateLimitingQueue } from './rate-limiting-queue.ts';
import { createFairLane, namespaceOf } from './fair-lane.ts';
import { createFifoLane, type Entry } from './lane.ts';
import { createWorkQueue, lowPriority, newEntry, type WorkQueue } from './work-queue.ts';

function take(queue: WorkQueue): string[] {
  const keys: string[] = [];
  for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) keys.push(key);
  return keys;
}

describe('createWorkQueue()', () => {
  it('holds a key once, and hands it out again only after it is done', () => {
    const queue = createWorkQueue();
    for (const key of ['a', 'a', 'b']) queue.add(key);
    assert.equal(queue.length, 2);
    assert.equal(queue.tryGet(), 'a');
    queue.add('a');
    assert.equal(queue.length, 1);
    queue.done('a');
    assert.deepEqual(take(queue), ['b', 'a']);
  });

  it('wakes a waiting getter for every key', async () => {
    const queue = createWorkQueue();
    const got = [queue.get(), queue.get()];
    queue.add('a');
    queue.add('b');
    assert.deepEqual(await Promise.all(got), ['a', 'b']);
  });

  it('forgets the places of keys that were taken out or raised, though the first one goes on waiting', () => {
    for (const lane of [createFifoLane(0), createFairLane(0, { flowOf: namespaceOf })]) {
      let looks = 0;
      const entryOf = (key: string, place: number): Entry => ({
        ...newEntry(key),
        get place() {
          looks++;
          return place;
        },
        set place(next: number) {
          place = next;
        },
      });
      const first = entryOf('a/first', 1);
      lane.push(first);
      for (let at = 2; at < 100_000; at++) {
        const entry = entryOf('a/other', at);
        lane.push(entry);
        entry.place = 0;
      }
      looks = 0;
      assert.equal(lane.take(), first);
      first.place = 0;
      assert.equal(lane.oldest(), undefined);
      assert.ok(looks < 200, `${looks} places were left`);
    }
  });

  it('forgets flows that have had nothing for long, so that their number is no bound', () => {
    const weights: Readonly<Record<string, number>> = { slow: 0.001 };
    const order = (flowsBetween: number): string[] => {
      const queue = createWorkQueue({ fairness: { flowOf: namespaceOf, weightOf: (flow) => weights[flow] ?? 1 } });
      queue.add('slow/1');
      assert.deepEqual(take(queue), ['slow/1']);
      queue.done('slow/1');
      for (let at = 0; at < flowsBetween; at++) {
        queue.add(`${at}/x`);
        take(queue).forEach((key) => queue.done(key));
      }
      for (const key of ['slow/2', 'x/1', 'x/2']) queue.add(key);
      return take(queue);
    };
    assert.deepEqual(order(10), ['x/1', 'x/2', 'slow/2'], 'it has had its turn');
    assert.deepEqual(order(3_000), ['slow/2', 'x/1', 'x/2'], 'it starts anew');
  });

  it('still hands out what it holds after a shut-down, and takes no more', async () => {
    const queue = createWorkQueue();
    queue.add('a');
    queue.shutDown();
    queue.add('b');
    assert.equal(await queue.get(), 'a');
    assert.equal(await queue.get(), undefined);
  });

  it('drains: waits for keys under work, and for those added again meanwhile', async () => {
    const queue = createWorkQueue();
    queue.add('a');
    assert.equal(queue.tryGet(), 'a');
    queue.add('a');
    let drained = false;
    const drain = queue.drain().then(() => (drained = true));
    queue.done('a');
    await Promise.resolve();
    assert.equal(drained, false);
    assert.equal(await queue.get(), 'a');
    queue.done('a');
    await drain;
    assert.equal(drained, true);
  });

  it('takes the highest priority first, in order within one, and keeps the highest a key was added with', () => {
    const queue = createWorkQueue();
    queue.add('a');
    queue.add('b', { priority: 10 });
    queue.add('c', { priority: lowPriority });
    queue.add('d');
    queue.add('a', { priority: 5 });
    queue.add('b', { priority: -5 });
    assert.equal(queue.length, 4);
    assert.deepEqual(take(queue), ['b', 'a', 'd', 'c']);
  });

  it('ends a drain that waits at a shut-down', async () => {
    const queue = createWorkQueue();
    queue.add('a');
    queue.tryGet();
    const drain = queue.drain();
    queue.shutDown();
    await drain;
    assert.equal(queue.length, 0);
  });

  it('cancels a key that is ready, and what would follow the work under way', async () => {
    const queue = createWorkQueue();
    for (const key of ['a', 'b', 'c']) queue.add(key);
    assert.equal(queue.tryGet(), 'a');
    queue.add('a');
    assert.equal(queue.cancel('a'), true);
    assert.equal(queue.cancel('b'), true);
    assert.equal(queue.cancel('b'), false);
    assert.equal(queue.length, 1);
    queue.done('a');
    queue.add('b');
    assert.deepEqual(take(queue), ['c', 'b']);
    queue.done('b');
    queue.done('c');
    await queue.drain();
  });

  it('C3 lets a low priority wait no longer than its aging says, whatever comes', async () => {
    const { clock } = createVirtualEnv();
    const queue = createWorkQueue({ aging: { clock, msPerPoint: 300 } });
    queue.add('low', { priority: lowPriority });
    for (let second = 0; second < 30; second++) {
      queue.add(`high-${second}`);
      assert.equal(queue.tryGet(), `high-${second}`);
      await clock.advance(1_000);
    }
    queue.add('late');
    assert.equal(queue.tryGet(), 'late', 'of equal rank the higher priority goes first');
    await clock.advance(1);
    queue.add('too-late');
    assert.equal(queue.tryGet(), 'low');
  });

  it('C15 gives a namespace with one key its turn though another has a thousand', () => {
    const queue = createWorkQueue({ fairness: { flowOf: namespaceOf } });
    for (let i = 0; i < 1_000; i++) queue.add(`a/${i}`);
    queue.add('b/only');
    queue.add('c/urgent', { priority: 1 });
    assert.deepEqual([queue.tryGet(), queue.tryGet(), queue.tryGet()], ['c/urgent', 'a/0', 'b/only']);
    assert.equal(take(queue).length, 999);
  });

  it('C15 shares by weight, and forgets flows that were idle', () => {
    const queue = createWorkQueue({ fairness: { flowOf: namespaceOf, weightOf: (name) => (name === 'a' ? 3 : 1) } });
    for (let i = 0; i < 5_000; i++) {
      queue.add(`idle-${i}/x`);
      queue.done(queue.tryGet() ?? '');
    }
    for (let i = 0; i < 40; i++) for (const flow of ['a', 'b']) queue.add(`${flow}/${i}`);
    const first = Array.from({ length: 20 }, () => queue.tryGet()?.[0]);
    assert.equal(first.filter((flow) => flow === 'a').length, 15);
  });

  it('says what it holds', async () => {
    const { clock } = createVirtualEnv();
    const queue = createDelayingQueue(createWorkQueue(), clock);
    queue.add('a');
    queue.add('b', { priority: 7 });
    queue.addAfter('c', 5_000);
    assert.equal(queue.tryGet(), 'b');
    await clock.advance(1_000);
    assert.deepEqual(queue.contents(), {
      ready: [{ key: 'a', priority: 0 }],
      processing: ['b'],
      waiting: [{ key: 'c', inMs: 4_000, priority: 0 }],
    });
    assert.equal(queue.cancel('c'), true);
    assert.equal(queue.waiting, 0);
  });

  it('C16 tells the priority a key was taken with', () => {
    const queue = createWorkQueue();
    queue.add('a', { priority: lowPriority });
    assert.equal(queue.tryGet(), 'a');
    assert.equal(queue.priorityOf('a'), lowPriority);
  });
});

describe('createDelayingQueue()', () => {
  it('adds a key once, at the earliest of its times', async () => {
    const { clock } = createVirtualEnv();
    const queue = createDelayingQueue(createWorkQueue(), clock);
    queue.addAfter('a', 50);
    queue.addAfter('a', 10);
    queue.addAfter('b', 10);
    queue.addAfter('b', 50);
    assert.equal(queue.waiting, 2);
    await clock.advance(10);
    assert.deepEqual(take(queue), ['a', 'b']);
    queue.done('a');
    await clock.advance(100);
    assert.deepEqual(take(queue), []);
  });

  it('C3 lets a key with a priority go first once its delay is over', async () => {
    const { clock } = createVirtualEnv();
    const queue = createDelayingQueue(createWorkQueue(), clock);
    for (let i = 0; i < 10; i++) queue.add(`low-${i}`, { priority: lowPriority });
    queue.addAfter('high', 1_000, { priority: 10 });
    await clock.advance(1_000);
    assert.equal(queue.tryGet(), 'high');
  });

  it('C4 G4 lets an immediate add end the delay: one run, and none later', async () => {
    const { clock } = createVirtualEnv();
    const queue = createDelayingQueue(createWorkQueue(), clock);
    queue.addAfter('a', 5 * 3_600_000);
    queue.add('a');
    assert.equal(queue.length, 1);
    assert.equal(queue.waiting, 0);
    assert.deepEqual(take(queue), ['a']);
    queue.done('a');
    await clock.advance(6 * 3_600_000);
    assert.equal(queue.length, 0);
  });

  it('G5 keeps one timer, however many keys wait for however long', async () => {
    const { clock } = createVirtualEnv();
    let timers = 0;
    let live = 0;
    const counting = Object.assign(Object.create(clock) as typeof clock, {
      monotonicMs: () => clock.monotonicMs(),
      setTimer: (delayMs: number, callback: () => void) => {
        timers++;
        live++;
        const timer = clock.setTimer(delayMs, () => {
          live--;
          callback();
        });
        return {
          cancel: () => {
            live--;
            timer.cancel();
          },
        };
      },
    });
    const queue = createDelayingQueue(createWorkQueue(), counting);
    for (let day = 1; day <= 1_000; day++) queue.addAfter(`k${day}`, day * 86_400_000);
    assert.equal(live, 1);
    assert.equal(timers, 1);
    await clock.advance(86_400_000 * 2.5);
    assert.deepEqual(take(queue), ['k1', 'k2']);
    assert.equal(live, 1);
    for (let day = 3; day <= 1_000; day++) queue.add(`k${day}`);
    assert.equal(live, 0);
    assert.equal(queue.waiting, 0);
  });

  it('R6 survives delays without measure', async () => {
    const { clock } = createVirtualEnv();
    const queue = createDelayingQueue(createWorkQueue(), clock);
    queue.addAfter('never', Infinity);
    queue.addAfter('long', Number.MAX_VALUE);
    queue.addAfter('none', Number.NaN);
    queue.addAfter('past', -5);
    assert.deepEqual(take(queue), ['none', 'past']);
    assert.equal(queue.waiting, 2);
    await clock.advance(1_000_000);
    assert.equal(queue.length, 0);
  });
});

describe('rate limiters', () => {
  it('createExponentialLimiter() doubles per key, forgets, and never overflows', () => {
    const limiter = createExponentialLimiter({ baseMs: 1, maxMs: 1_000 });
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => limiter.when('x')),
      [1, 2, 4, 8, 16],
    );
    assert.equal(limiter.when('y'), 1);
    limiter.forget('x');
    assert.equal(limiter.when('x'), 1);
    for (let i = 0; i < 2_000; i++) limiter.when('x');
    assert.equal(limiter.when('x'), 1_000);
  });

  it('createFastSlowLimiter(), createBucketLimiter(), createMaxOfLimiter() and createMaxWaitLimiter() keep to their rules', async () => {
    const { clock } = createVirtualEnv();
    const fastSlow = createFastSlowLimiter({ fastMs: 5, slowMs: 10_000, fastMax: 3 });
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => fastSlow.when('x')),
      [5, 5, 5, 10_000, 10_000],
    );
    const bucket = createBucketLimiter({ clock, qps: 1, burst: 1 });
    assert.deepEqual(
      [1, 2, 3].map(() => bucket.when('x')),
      [0, 1_000, 2_000],
    );
    await clock.advance(3_000);
    assert.equal(bucket.when('x'), 0);
    const both = createMaxOfLimiter(
      createExponentialLimiter({ baseMs: 7, maxMs: 70 }),
      createBucketLimiter({ clock, qps: 1, burst: 1 }),
    );
    assert.deepEqual(
      [1, 2].map(() => both.when('x')),
      [7, 1_000],
    );
    assert.equal(both.failures('x'), 2);
    assert.equal(createMaxWaitLimiter(both, 50).when('x'), 50);
  });
});

it('createMaxOfLimiter() forgets in all of them', () => {
  const limiter = createMaxOfLimiter(
    createFastSlowLimiter({ fastMs: 1, slowMs: 2, fastMax: 1 }),
    createExponentialLimiter({ baseMs: 100, maxMs: 400 }),
  );
  assert.deepEqual([limiter.when('a'), limiter.when('a'), limiter.failures('a')], [100, 200, 2]);
  limiter.forget('a');
  assert.deepEqual([limiter.failures('a'), limiter.when('a')], [0, 100]);
});

describe('createRateLimitingQueue()', () => {
  it('loses no key to fairness functions that throw, and says so once', () => {
    const lines: string[] = [];
    const env = createVirtualEnv();
    const log = { ...env.log, error: (message: string) => void lines.push(message) };
    const broken = (): never => {
      throw new Error('broken');
    };
    const queue = createRateLimitingQueue({ env: { ...env, log }, fairness: { flowOf: broken, weightOf: broken } });
    for (const key of ['a', 'b', 'a']) queue.add(key);
    assert.deepEqual(take(queue), ['a', 'b']);
    assert.deepEqual(lines, ['a fairness function of a work queue failed']);
  });

  it('takes an infinite worth of priority as strict, and a delay that is no number as a defect', () => {
    const env = createVirtualEnv();
    const limiter = { when: () => NaN, forget: () => {}, failures: () => 0 };
    const queue = createRateLimitingQueue({ env, limiter, agingMsPerPoint: Infinity });
    queue.add('a');
    queue.add('b');
    queue.add('b', { priority: 1 });
    assert.deepEqual(take(queue), ['b', 'a']);
    assert.throws(() => queue.addRateLimited('c'), /the rate limiter gave no delay for c/);
  });

  it("reports under client-go's names", async () => {
    const metrics = createPrometheusMetrics();
    const env = createVirtualEnv({ metrics });
    const queue = createRateLimitingQueue({ env, name: 'things' });
    queue.add('a');
    queue.add('b');
    assert.equal(queue.tryGet(), 'a');
    await env.clock.advance(2_000);
    const text = await metrics.expose();
    assert.match(text, /workqueue_depth\{name="things"\} 1/);
    assert.match(text, /workqueue_adds_total\{name="things"\} 2/);
    assert.match(text, /workqueue_unfinished_work_seconds\{name="things"\} 2/);
    assert.match(text, /workqueue_longest_running_processor_seconds\{name="things"\} 2/);
    queue.addRateLimited('a');
    queue.done('a');
    const later = await metrics.expose();
    assert.match(later, /workqueue_retries_total\{name="things"\} 1/);
    assert.match(later, /workqueue_work_duration_seconds_count\{name="things"\} 1/);
    assert.match(later, /workqueue_unfinished_work_seconds\{name="things"\} 0/);
    await env.clock.advance(5);
    assert.equal(queue.length, 2);
  });
});
