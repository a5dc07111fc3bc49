// The cells of the fault matrix, and one pass over them.

import { createTestCluster } from '@homeostat/testing';
import { places, wireFaults } from './faulty-wire.ts';
import { type Cell, type CellFault, runCell } from './run-cell.ts';
import { simulatedWorld } from './simulated-world.ts';

const faults: readonly CellFault[] = [...wireFaults, 'handler-throws', 'stop', 'swallowed-event'];

/** Every fault at every place. */
export const cells: readonly Cell[] = faults.flatMap((fault) => places.map((place) => ({ fault, place })));

/** Runs `seeds` histories of a cell, the first with `firstSeed`; returns what was wrong, with the seed before it. */
export async function runSeeds(cell: Cell, firstSeed: number, seeds: number): Promise<readonly string[]> {
  const problems: string[] = [];
  await using cluster = await createTestCluster({ seed: firstSeed, controllerManagers: false });
  const world = simulatedWorld(cluster);
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const found = await runCell(world, cell, seed);
    problems.push(...found.map((problem) => `${cell.fault} × ${cell.place}, seed ${seed}: ${problem}`));
  }
  return problems;
}
