// @homeostat/storage/conformance: the kit that every engine of the storage contract passes (store.ts states the
// guarantees, the cases show them). Registers node:test cases; needs no real time: stores get a virtual clock.

import { describe, it } from 'node:test';
import { Fixture, type StoreFactory } from './fixture.ts';
import { closeCases, expiryCases, reopenCases, valueCases } from './lifecycle.ts';
import { compactionCases, historyCases, rangeCases } from './ranges.ts';
import { compareCases, concurrencyCases, revisionCases } from './transactions.ts';
import { pastWatchCases, watchCases, watchEndCases } from './watches.ts';

export type { StoreFactory, StoreFixture } from './fixture.ts';

/** What an engine is, where the contract leaves a choice. */
export interface StoreTraits {
  /** Survives closing: its fixtures have `reopen`. */
  readonly durable: boolean;
  /** Keeps writers' holders themselves and not only their bytes. */
  readonly keepsHolders: boolean;
}

type Case = (fixture: Fixture) => void | Promise<void>;

/** Adds a case; `needs` leaves it out for engines without those traits. */
export interface DefineCase {
  (title: string, run: Case): void;
  (title: string, needs: Partial<StoreTraits>, run: Case): void;
}

const sections: Readonly<Record<string, (define: DefineCase) => void>> = {
  revisions: revisionCases,
  compare: compareCases,
  concurrency: concurrencyCases,
  range: rangeCases,
  history: historyCases,
  compaction: compactionCases,
  watch: watchCases,
  'watch from the past': pastWatchCases,
  'end of a watch': watchEndCases,
  expiry: expiryCases,
  values: valueCases,
  close: closeCases,
  reopen: reopenCases,
};

/**
 * Registers all cases for one engine under `name`.
 *
 * @example storeConformance('memory', async ({ env }) => memoryFixture(env), { durable: false, keepsHolders: true });
 */
export function storeConformance(name: string, factory: StoreFactory, traits: StoreTraits): void {
  void describe(name, () => {
    for (const [section, addCases] of Object.entries(sections)) {
      void describe(section, () =>
        addCases((title: string, ...rest: readonly [Case] | readonly [Partial<StoreTraits>, Case]) => {
          const [needs, run] = rest.length === 1 ? [{}, rest[0]] : rest;
          if ((needs.durable && !traits.durable) || (needs.keepsHolders && !traits.keepsHolders)) return;
          void it(title, async () => {
            const fixture = await Fixture.create(factory);
            try {
              await run(fixture);
            } finally {
              await fixture.dispose();
            }
          });
        }),
      );
    }
  });
}
