// The list of passing steps: its form, and that it only shrinks when that is meant.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparePassing, formatRanges, parseRanges, readPassing, updatePassing } from './passing.ts';
import { loadRecordings } from './recording.ts';
import type { RecordingResult } from './replay-and-compare.ts';

function result(name: string, steps: number, failing: readonly number[]): RecordingResult {
  return { name, steps, done: steps, failed: failing.map((step) => ({ step, what: '', differences: [] })) };
}

describe('passing.json', () => {
  it('names recordings and steps that exist', () => {
    const steps = new Map(loadRecordings([]).map((recording) => [recording.name, recording.steps.length]));
    for (const [name, passing] of readPassing()) {
      const last = passing.at(-1) ?? 0;
      assert.ok(last <= (steps.get(name) ?? 0), `${name} has no step ${last}`);
    }
  });

  it('keeps steps as ranges', () => {
    assert.equal(formatRanges([1, 2, 3, 7, 9, 10]), '1-3,7,9-10');
    assert.deepEqual(parseRanges('1-3,7,9-10'), [1, 2, 3, 7, 9, 10]);
  });

  it('tells what was lost and what was gained', () => {
    const listed = new Map([
      ['a', [1, 2, 3]],
      ['unseen', [1]],
    ]);
    assert.deepEqual(comparePassing(listed, [result('a', 4, [2])]), {
      lost: [{ name: 'a', steps: [2] }],
      gained: [{ name: 'a', steps: [4] }],
    });
  });

  it('counts steps that were never reached as lost', () => {
    const broken = { ...result('a', 4, [3]), done: 2 };
    assert.deepEqual(comparePassing(new Map([['a', [1, 2, 3, 4]]]), [broken]).lost, [{ name: 'a', steps: [3, 4] }]);
  });

  it('grows with an update, and shrinks only when a loss is meant', () => {
    const listed = new Map([
      ['a', [1, 2, 3]],
      ['unseen', [1]],
    ]);
    const results = [result('a', 4, [2]), result('b', 2, [])];
    const grown = updatePassing(listed, results, { allowLoss: false });
    assert.deepEqual(Object.fromEntries(grown), { a: [1, 2, 3, 4], b: [1, 2], unseen: [1] });
    const replaced = updatePassing(listed, results, { allowLoss: true });
    assert.deepEqual(Object.fromEntries(replaced), { a: [1, 3, 4], b: [1, 2], unseen: [1] });
  });
});
