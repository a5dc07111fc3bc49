// Leader election in a bad world: a thousand histories with clocks that are off and run at different rates, pauses, partitions, a slow store,
// crashes, restarts under the same name. Case ids: B30, G11, G12, O2, O3, O8, O11. `SIM_ELECTIONS=n` runs so many, `SIM_FIRST=seed` begins elsewhere.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nobodyLeads, staleWrites, twoActed } from './election/judge.ts';
import { electionHistory, type History, type HistoryOptions } from './election/world.ts';

const all = Number(process.env['SIM_ELECTIONS'] ?? 1_000);
const first = Number(process.env['SIM_FIRST'] ?? 1);

type Judge = (history: History) => readonly string[];

interface Totals {
  acts: number;
  terms: number;
  refused: number;
}

async function judged(
  options: Omit<HistoryOptions, 'seed'>,
  share: number,
  judges: readonly Judge[],
): Promise<Totals & { readonly seeds: number }> {
  const seeds = Math.ceil(all * share);
  const totals = { acts: 0, terms: 0, refused: 0, seeds };
  for (let seed = first; seed < first + seeds; seed++) {
    const history = await electionHistory({ ...options, seed });
    const problems = judges.flatMap((judge) => judge(history));
    assert.deepEqual(problems, [], `seed ${seed} of ${JSON.stringify(options)}:\n  ${history.story.join('\n  ')}`);
    totals.acts += history.acts.length;
    totals.terms += history.terms;
    totals.refused += history.refused;
  }
  return totals;
}

describe('leader election in a bad world', () => {
  it('G11 G12 O2 O3 O11 B30 never has two leaders that act, no stale write, and a leader again in time', async (test) => {
    const totals = await judged({}, 0.6, [twoActed, staleWrites, nobodyLeads]);
    test.diagnostic(JSON.stringify(totals));
    // The world is bad enough to matter.
    assert.ok(totals.terms > 2 * totals.seeds && totals.acts > 10 * totals.seeds, JSON.stringify(totals));
    if (totals.seeds >= 100) assert.ok(totals.refused > 0, 'no write ever came too late');
  });

  it('O8 holds for candidates of different lease durations', async (test) => {
    test.diagnostic(JSON.stringify(await judged({ mixedDurations: true }, 0.25, [twoActed, staleWrites, nobodyLeads])));
  });

  it('B30 accepts no stale write even when users delete the Lease', async (test) => {
    test.diagnostic(JSON.stringify(await judged({ deletesLease: true }, 0.15, [staleWrites, nobodyLeads])));
  });

  it('has one history for one seed', async () => {
    const [one, two, other] = [
      await electionHistory({ seed: first }),
      await electionHistory({ seed: first }),
      await electionHistory({ seed: first + 1 }),
    ];
    assert.deepEqual(one, two);
    assert.notDeepEqual(one?.story, other?.story);
  });
});
