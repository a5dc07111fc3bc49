// The queue against a plain model: any history of arrivals, departures and turns.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

type Step =
  | { readonly type: 'add'; readonly flow: string }
  | { readonly type: 'remove'; readonly which: number }
  | { readonly type: 'take' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('add' as const), flow: fc.constantFrom('a', 'b', 'c', 'd') }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), which: fc.nat(50) }) },
  { weight: 3, arbitrary: fc.constant({ type: 'take' as const }) },
);

it('FairQueue keeps the order within a flow, lets no flow have two turns while another waits, and never exceeds its bound', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new FairQueue<{ readonly flow: string; readonly id: number }>(20);
      let waiting: { readonly flow: string; readonly id: number }[] = [];
      /** Turns that others had since a flow began to wait or was served, by flow. */
      const turns = new Map<string, Map<string, number>>();
      steps.forEach((action, id) => {
        if (action.type === 'add') {
          const waiter = { flow: action.flow, id };
          const hasRoom = waiting.length < 20;
          if (hasRoom && !waiting.some(({ flow }) => flow === action.flow)) turns.set(action.flow, new Map());
          assert.equal(queue.add(action.flow, waiter), hasRoom);
          if (hasRoom) waiting.push(waiter);
        } else if (action.type === 'remove') {
          const gone = waiting[action.which];
          queue.remove(gone?.flow ?? 'a', gone ?? { flow: 'a', id: -1 });
          waiting = waiting.filter((waiter) => waiter !== gone);
        } else {
          const taken = queue.take();
          assert.equal(taken === undefined, waiting.length === 0);
          if (taken === undefined) return;
          assert.equal(
            taken,
            waiting.find(({ flow }) => flow === taken.flow),
          );
          waiting = waiting.filter((waiter) => waiter !== taken);
          turns.set(taken.flow, new Map());
          for (const flow of new Set(waiting.map((waiter) => waiter.flow))) {
            if (flow === taken.flow) continue;
            const had: Map<string, number> = turns.get(flow) ?? new Map<string, number>();
            had.set(taken.flow, (had.get(taken.flow) ?? 0) + 1);
            assert.ok((had.get(taken.flow) ?? 0) <= 1, `${taken.flow} had two turns while ${flow} waited`);
          }
        }
        assert.equal(queue.length, waiting.length);
      });
    }),
  );
});
