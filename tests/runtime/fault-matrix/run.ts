// Runs the fault matrix for as long as one likes: `node tests/runtime/fault-matrix/run.ts --seeds 100 --first 1 --only half-open`.
// Prints each problem with its seed as it is found; ends with 1 when there were any.

import { parseArgs } from 'node:util';
import { cells, runSeeds } from './cells.ts';

const { values } = parseArgs({
  options: {
    /** Histories per cell. */
    seeds: { type: 'string', default: '100' },
    /** The first seed. */
    first: { type: 'string', default: '1' },
    /** Cells whose `fault × place` contains this. */
    only: { type: 'string', default: '' },
  },
});

const started = performance.now();
let histories = 0;
let problems = 0;
for (const cell of cells) {
  const name = `${cell.fault} × ${cell.place}`;
  if (!name.includes(values.only)) continue;
  const found = await runSeeds(cell, Number(values.first), Number(values.seeds));
  histories += Number(values.seeds);
  problems += found.length;
  console.log(`${found.length === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  for (const problem of found.slice(0, 10)) console.log(`     ${problem}`);
}
const seconds = (performance.now() - started) / 1000;
console.log(`${histories} histories in ${seconds.toFixed(1)} s, ${problems} problems`);
process.exitCode = problems === 0 ? 0 : 1;
