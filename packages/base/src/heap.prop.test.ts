import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { heapPop, heapPush } from './heap.ts';

test('heapPush() and heapPop() give what sorting gives, for any interleaving', () => {
  const operations = fc.array(fc.option(fc.integer({ min: -50, max: 50 })), { maxLength: 200 });
  fc.assert(
    fc.property(operations, (steps) => {
      const heap: number[] = [];
      let model: number[] = [];
      const before = (a: number, b: number): boolean => a < b;
      for (const step of steps) {
        if (step === null) {
          model.sort((a, b) => a - b);
          assert.equal(heapPop(heap, before), model[0]);
          model = model.slice(1);
        } else {
          heapPush(heap, step, before);
          model.push(step);
        }
        assert.equal(heap.length, model.length);
      }
    }),
  );
});
