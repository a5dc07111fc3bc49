// How many nodes are looked at, and which is taken.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countNodesToFind } from './nodes-to-find.ts';
import { selectHost, selectHostAtRandom } from './select-host.ts';

describe('countNodesToFind()', () => {
  const cases: readonly (readonly [number, number, number])[] = [
    [50, 0, 50],
    [100, 0, 100],
    [250, 0, 120],
    [1000, 0, 420],
    [2000, 0, 680],
    [5000, 0, 500],
    [6000, 0, 300],
    [15_000, 0, 750],
    [1000, 5, 100],
    [1000, 100, 1000],
  ];
  for (const [nodes, percentage, expected] of cases) {
    it(`is ${expected} of ${nodes} at ${percentage} %`, () =>
      assert.equal(countNodesToFind(nodes, percentage), expected));
  }
});

describe('selectHost()', () => {
  it('takes a best one, and the first when all are equal', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 40 }), (totals) => {
        assert.equal(totals[selectHost(totals)], Math.max(...totals));
        assert.equal(selectHost(totals.map(() => 7)), 0);
        const random = selectHostAtRandom(totals, (bound) => bound - 1);
        assert.equal(totals[random], Math.max(...totals));
      }),
      { seed: 1 },
    );
  });
});
