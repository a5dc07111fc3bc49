// The fault matrix once over real sockets: several cells at a time, each with a proxy of its own in front of one API server.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { cells } from './cells.ts';
import { runCell } from './run-cell.ts';
import { startSocketWorld } from './socket-world.ts';

const atOnce = 20;

it('J1 J2 J4 J5: an informer over sockets under each fault at each place of the protocol', async () => {
  await using world = await startSocketWorld();
  // Half-open connections take longest to be found, so they come first.
  const waiting = cells.toSorted((a, b) => Number(b.fault === 'half-open') - Number(a.fault === 'half-open'));
  const found: string[] = [];
  const work = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      const { fault, place } = cell;
      const seed = waiting.length;
      const problems = await runCell(world, cell, seed);
      found.push(...problems.map((problem) => `${fault} × ${place}, seed ${seed}: ${problem}`));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  assert.deepEqual(found, []);
});
