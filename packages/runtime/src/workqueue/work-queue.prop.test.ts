// The delaying queue against a naive model: sets, arrays and no cleverness.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { createVirtualEnv } from '@homeostat/base';
import { createDelayingQueue, type DelayingQueue } from './delaying-queue.ts';
import { createWorkQueue } from './work-queue.ts';

interface Queued {
  readonly key: string;
  priority: number;
  order: number;
}

class Model {
  ready: Queued[] = [];
  processing = new Set<string>();
  dirtyWhileProcessing = new Map<string, number>();
  waiting = new Map<string, { atMs: number; priority: number; order: number }>();
  nowMs = 0;
  order = 0;

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
    this.nowMs += deltaMs;
    const due = [...this.waiting]
      .filter(([, { atMs }]) => atMs <= this.nowMs)
      .toSorted(([, a], [, b]) => a.atMs - b.atMs || a.order - b.order);
    for (const [key, { priority }] of due) {
      this.waiting.delete(key);
      this.#enqueue(key, priority);
    }
  }

  take(): string | undefined {
    const next = this.ready.toSorted((a, b) => b.priority - a.priority || a.order - b.order)[0];
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

  #enqueue(key: string, priority: number): void {
    if (this.processing.has(key)) {
      this.dirtyWhileProcessing.set(key, Math.max(priority, this.dirtyWhileProcessing.get(key) ?? -Infinity));
      return;
    }
    const queued = this.ready.find((entry) => entry.key === key);
    if (queued === undefined) this.ready.push({ key, priority, order: this.order++ });
    else if (priority > queued.priority) {
      queued.priority = priority;
      queued.order = this.order++;
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
);

it('createDelayingQueue() does what the model does, and never works on one key twice at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock } = createVirtualEnv();
      const queue: DelayingQueue = createDelayingQueue(createWorkQueue(), clock);
      const model = new Model();
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
        }
        assert.equal(queue.length, model.ready.length);
        assert.equal(queue.waiting, model.waiting.size);
      }
    }),
    { numRuns: 300 },
  );
});
