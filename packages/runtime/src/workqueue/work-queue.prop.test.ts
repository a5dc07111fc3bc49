// The delaying queue, with priorities that age, against a naive model: sets, arrays and no cleverness. Then the two promises about
// waiting: no key is overtaken for ever, and no flow waits for all of another's keys (C15).

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { createVirtualEnv } from '@homeostat/base';
import { createDelayingQueue, type DelayingQueue } from './delaying-queue.ts';
import { namespaceOf } from './fair-lane.ts';
import { createWorkQueue } from './work-queue.ts';

interface Queued {
  readonly key: string;
  priority: number;
  order: number;
  /** Of its place: smaller goes first. */
  rank: number;
  /** Whose line its place is in. */
  line: number;
}

class Model {
  readonly #msPerPoint: number;
  ready: Queued[] = [];
  processing = new Set<string>();
  dirtyWhileProcessing = new Map<string, number>();
  waiting = new Map<string, { atMs: number; priority: number; order: number }>();
  nowMs = 0;
  order = 0;

  /** @param msPerPoint 0: strict priorities */
  constructor(msPerPoint: number) {
    this.#msPerPoint = msPerPoint;
  }

  add(key: string, priority: number): void {
    const waiting = this.waiting.get(key);
    this.waiting.delete(key);
    this.#enqueue(key, Math.max(priority, waiting?.priority ?? -Infinity));
  }

  addAfter(key: string, delayMs: number, priority: number): void {
    if (delayMs <= 0) return this.add(key, priority);
    const known = this.waiting.get(key);
    const atMs = Math.min(this.nowMs + delayMs, known?.atMs ?? Infinity);
    const raised = Math.max(priority, known?.priority ?? -Infinity);
    if (known !== undefined && known.atMs === atMs && known.priority === raised) return;
    this.waiting.set(key, { atMs, priority: raised, order: this.order++ });
  }

  advance(deltaMs: number): void {
    const endMs = this.nowMs + deltaMs;
    const due = [...this.waiting]
      .filter(([, { atMs }]) => atMs <= endMs)
      .toSorted(([, a], [, b]) => a.atMs - b.atMs || a.order - b.order);
    for (const [key, { atMs, priority }] of due) {
      this.waiting.delete(key);
      this.nowMs = atMs;
      this.#enqueue(key, priority);
    }
    this.nowMs = endMs;
  }

  cancel(key: string): boolean {
    const before = this.ready.length;
    this.ready = this.ready.filter((entry) => entry.key !== key);
    const [waited, dirty] = [this.waiting.delete(key), this.dirtyWhileProcessing.delete(key)];
    return waited || dirty || this.ready.length < before;
  }

  take(): string | undefined {
    const next = this.ready.toSorted((a, b) => a.rank - b.rank || b.line - a.line || a.order - b.order)[0];
    if (next === undefined) return undefined;
    this.ready = this.ready.filter((entry) => entry !== next);
    this.processing.add(next.key);
    return next.key;
  }

  done(key: string): void {
    if (!this.processing.delete(key)) return;
    const priority = this.dirtyWhileProcessing.get(key);
    this.dirtyWhileProcessing.delete(key);
    if (priority !== undefined) this.#enqueue(key, priority);
  }

  #rank(priority: number): number {
    return this.#msPerPoint === 0 ? -priority : this.nowMs - priority * this.#msPerPoint;
  }

  #enqueue(key: string, priority: number): void {
    if (this.processing.has(key)) {
      this.dirtyWhileProcessing.set(key, Math.max(priority, this.dirtyWhileProcessing.get(key) ?? -Infinity));
      return;
    }
    const queued = this.ready.find((entry) => entry.key === key);
    const placed: Queued = { key, priority, line: priority, order: this.order++, rank: this.#rank(priority) };
    if (queued === undefined) this.ready.push(placed);
    else if (priority > queued.priority) {
      queued.priority = priority;
      // Waiting may have made the place it has the better one.
      if (placed.rank < queued.rank) Object.assign(queued, placed);
    }
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd');
const priority = fc.constantFrom(0, 0, 10, -100);
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key, priority }),
  fc.record({ do: fc.constant('after' as const), key, priority, delayMs: fc.integer({ min: 0, max: 50 }) }),
  fc.record({ do: fc.constant('advance' as const), deltaMs: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('done' as const), key }),
  fc.record({ do: fc.constant('cancel' as const), key }),
);

it('createDelayingQueue() does what the model does, and never works on one key twice at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.constantFrom(0, 1, 3), async (steps, msPerPoint) => {
      const { clock } = createVirtualEnv();
      const queue: DelayingQueue = createDelayingQueue(
        createWorkQueue({ aging: msPerPoint === 0 ? undefined : { clock, msPerPoint } }),
        clock,
      );
      const model = new Model(msPerPoint);
      for (const next of steps) {
        switch (next.do) {
          case 'add':
            queue.add(next.key, { priority: next.priority });
            model.add(next.key, next.priority);
            break;
          case 'after':
            queue.addAfter(next.key, next.delayMs, { priority: next.priority });
            model.addAfter(next.key, next.delayMs, next.priority);
            break;
          case 'advance':
            await clock.advance(next.deltaMs);
            model.advance(next.deltaMs);
            break;
          case 'take': {
            const busy = new Set(model.processing);
            const taken = queue.tryGet();
            assert.equal(taken, model.take());
            assert.ok(taken === undefined || !busy.has(taken));
            break;
          }
          case 'done':
            queue.done(next.key);
            model.done(next.key);
            break;
          case 'cancel':
            assert.equal(queue.cancel(next.key), model.cancel(next.key));
            break;
        }
        assert.equal(queue.length, model.ready.length);
        assert.equal(queue.waiting, model.waiting.size);
      }
    }),
    { numRuns: 300 },
  );
});

it('createWorkQueue() with aging hands out no key before one that has waited longer than the priorities differ', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ priority: fc.integer({ min: -20, max: 20 }), pauseMs: fc.integer({ min: 0, max: 30 }) })),
      fc.integer({ min: 1, max: 5 }),
      async (adds, msPerPoint) => {
        const { clock } = createVirtualEnv();
        const queue = createWorkQueue({ aging: { clock, msPerPoint } });
        const readyMs: number[] = [];
        for (const [at, { priority, pauseMs }] of adds.entries()) {
          await clock.advance(pauseMs);
          readyMs.push(clock.monotonicMs());
          queue.add(String(at), { priority });
        }
        const left = new Set(adds.keys());
        for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) {
          const taken = Number(key);
          left.delete(taken);
          for (const other of left) {
            const points = (adds[taken]?.priority ?? 0) - (adds[other]?.priority ?? 0);
            assert.ok((readyMs[taken] ?? 0) <= (readyMs[other] ?? 0) + points * msPerPoint);
          }
        }
        assert.equal(left.size, 0);
      },
    ),
  );
});

it('createWorkQueue() with fairness C15 gives a busy flow its share by weight between any two hand-outs of another', () => {
  const flow = fc.constantFrom('a', 'b', 'c');
  const weights = fc.record({
    a: fc.integer({ min: 1, max: 4 }),
    b: fc.integer({ min: 1, max: 4 }),
    c: fc.constant(1),
  });
  const step = fc.oneof(fc.record({ add: flow }), fc.constant({ add: undefined }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), weights, (steps, weightOf) => {
      const shares = new Map(Object.entries(weightOf));
      const share = (name: string): number => shares.get(name) ?? 1;
      const queue = createWorkQueue({ fairness: { flowOf: namespaceOf, weightOf: share } });
      let names = 0;
      const ready = new Map(['a', 'b', 'c'].map((name) => [name, 0]));
      /** Hand-outs of others since this flow's last one, or since it had keys. */
      const passed = new Map(['a', 'b', 'c'].map((name) => [name, new Map<string, number>()]));
      const take = (): void => {
        const key = queue.tryGet();
        if (key === undefined) return;
        queue.done(key);
        const taken = namespaceOf(key);
        ready.set(taken, (ready.get(taken) ?? 0) - 1);
        passed.get(taken)?.clear();
        for (const [name, counts] of passed) {
          if (name === taken || ready.get(name) === 0) continue;
          counts.set(taken, (counts.get(taken) ?? 0) + 1);
          assert.ok((counts.get(taken) ?? 0) <= Math.ceil(share(taken) / share(name)) + 1, `${name} behind ${taken}`);
        }
      };
      for (const { add } of steps) {
        if (add === undefined) {
          take();
          continue;
        }
        queue.add(`${add}/${names++}`);
        if (ready.get(add) === 0) passed.get(add)?.clear();
        ready.set(add, (ready.get(add) ?? 0) + 1);
      }
      while (queue.length > 0) take();
      assert.deepEqual([...ready.values()], [0, 0, 0]);
    }),
    { numRuns: 300 },
  );
});
