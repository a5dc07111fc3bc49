// Many random histories of one kind as one test. `SIM_SEEDS=n` runs so many, `SIM_FIRST=seed` begins at another; a failure prints its seed, what
// is wrong, and the story of the first that failed.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type HistoryOptions, randomHistory } from './random-history.ts';

const first = Number(process.env['SIM_FIRST'] ?? 1);

export function historiesEndInAgreement(title: string, seeds: number, options: Omit<HistoryOptions, 'seed'>): void {
  const count = Number(process.env['SIM_SEEDS'] ?? seeds);
  it(`${title} end in agreement (seeds ${first} to ${first + count - 1})`, async () => {
    const failed: string[] = [];
    for (let seed = first; seed < first + count; seed++) {
      const { problems, story } = await randomHistory({ ...options, seed });
      if (problems.length === 0) continue;
      failed.push(`seed ${seed}:\n  ${problems.join('\n  ')}\nstory:\n  ${story.join('\n  ')}`);
    }
    assert.equal(failed.length, 0, `${failed.length} of ${count} histories failed\n${failed[0]}`);
  });
}
