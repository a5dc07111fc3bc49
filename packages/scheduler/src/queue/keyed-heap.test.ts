import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { KeyedHeap } from './keyed-heap.ts';

interface Item {
  readonly key: string;
  readonly rank: number;
}

describe('KeyedHeap', () => {
  it('gives items in order whatever was set, replaced and deleted before', () => {
    const operation = fc.record({
      do: fc.constantFrom('set', 'set', 'set', 'delete', 'pop'),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      rank: fc.integer({ min: 0, max: 9 }),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const less = (a: Item, b: Item): boolean => a.rank < b.rank || (a.rank === b.rank && a.key < b.key);
        const heap = new KeyedHeap<Item>({ keyOf: ({ key }) => key, less });
        const model = new Map<string, Item>();
        const first = (): Item | undefined => [...model.values()].sort((a, b) => (less(a, b) ? -1 : 1))[0];
        for (const { do: what, key, rank } of operations) {
          if (what === 'set') {
            heap.set({ key, rank });
            model.set(key, { key, rank });
          } else if (what === 'delete') {
            assert.deepEqual(heap.delete(key), model.get(key));
            model.delete(key);
          } else {
            const expected = first();
            assert.deepEqual(heap.pop(), expected);
            if (expected !== undefined) model.delete(expected.key);
          }
          assert.equal(heap.size, model.size);
          assert.deepEqual(heap.peek(), first());
          assert.deepEqual(heap.get(key), model.get(key));
        }
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});
