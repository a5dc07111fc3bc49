// The fault matrix of informers: {what goes wrong} × {where in the protocol}, over the real API server in virtual time. Nothing is
// lost, nothing is told as deleted that lives, at most one watch, a bounded rate of requests, a bounded recovery. More seeds:
// `node tests/runtime/fault-matrix/run.ts --seeds 100`.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cells, runSeeds } from './cells.ts';

const seedsPerCell = 12;

describe(`an informer under each fault at each place of the protocol, seeds 1 to ${seedsPerCell}`, () => {
  for (const cell of cells) {
    it(`J1 J2 J4 G1 G2 G7 B29: ${cell.fault} × ${cell.place}`, async () => {
      assert.deepEqual(await runSeeds(cell, 1, seedsPerCell), []);
    });
  }
});
