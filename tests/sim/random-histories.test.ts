// Random histories with faults: whatever happened, when the faults stop the cluster converges and all checkers hold. `SIM_SEEDS=n` runs more
// of them, `SIM_FIRST=seed` others; a failure prints its seed and story.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { randomHistory } from './random-history.ts';

const count = Number(process.env['SIM_SEEDS'] ?? 40);
const first = Number(process.env['SIM_FIRST'] ?? 1);

describe('random histories', () => {
  for (const [title, options] of [
    ['of a network that fails now and then', {}],
    ['of a network that fails often', { faultRate: 0.2, steps: 15 }],
    ['without faults', { faultRate: 0 }],
    ['in which watches lose events', { swallow: true, steps: 15 }],
  ] as const) {
    it(`${title} end in agreement (seeds ${first} to ${first + count - 1})`, async () => {
      const failed: string[] = [];
      for (let seed = first; seed < first + count; seed++) {
        const { problems, story } = await randomHistory({ ...options, seed });
        if (problems.length > 0)
          failed.push(`seed ${seed}:\n  ${problems.join('\n  ')}\nstory:\n  ${story.join('\n  ')}`);
      }
      assert.equal(failed.length, 0, `${failed.length} of ${count} histories failed\n${failed[0]}`);
    });
  }
});
