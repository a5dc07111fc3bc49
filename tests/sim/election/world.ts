// One simulated history of a leader election: a real API server in memory, processes with clocks and networks of their own, a script of
// trouble, then calm. Everything that happened is kept for the judges in `judge.ts`.

import { createApiServer } from '@homeostat/apiserver';
import type { Lease } from '@homeostat/api/types/coordination-v1';
import { createVirtualEnv, type Random, Scope } from '@homeostat/base';
import { type LeaderTerm, leaderTermHeader, parseLeaderTerm } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { createMemoryStore } from '@homeostat/storage/memory';
import { Network } from './network.ts';
import { CandidateProcess } from './candidate-process.ts';

export const lockKey = '/registry/leases/default/lock';
const writesPrefix = '/registry/configmaps/default/';

export interface HistoryOptions {
  readonly seed: number;
  /** Users delete the Lease now and then. */
  readonly deletesLease?: boolean;
  /** Candidates of different durations. */
  readonly mixedDurations?: boolean;
}

/** A write as its process let it go: right after it had made sure of its term. */
export interface Act {
  readonly atMs: number;
  readonly process: string;
  readonly term: LeaderTerm;
  readonly name: string;
}

/** What the store holds, transaction by transaction. */
export type Stored =
  { readonly type: 'lease'; readonly lease: Lease | undefined } | { readonly type: 'write'; readonly name: string };

export interface History {
  readonly seed: number;
  readonly acts: readonly Act[];
  readonly stored: readonly Stored[];
  /** Writes that the server refused because their term was over. */
  readonly refused: number;
  /** When trouble ended, when the last process was up again, and when somebody then first wrote. */
  readonly calmMs: number;
  readonly ledAgainMs: number | undefined;
  /** How long it may take at most. */
  readonly boundMs: number;
  readonly terms: number;
  readonly story: readonly string[];
}

const troubleMs = 75_000;
const slowestRate = 0.85;

export async function electionHistory(options: HistoryOptions): Promise<History> {
  const env = createVirtualEnv({ seed: options.seed });
  const { clock, random } = env;
  const store = createMemoryStore({ env });
  const acts: Act[] = [];
  const stored: Stored[] = [];
  const story: string[] = [];
  const tell = (line: string): void => void story.push(`${(clock.monotonicMs() / 1000).toFixed(2)} s: ${line}`);
  const txn = store.txn.bind(store);
  store.txn = async (transaction) => {
    const result = await txn(transaction);
    if (!result.succeeded) return result;
    for (const operation of transaction.operations) {
      const { key } = operation;
      if (key === lockKey) {
        const lease = operation.type === 'put' ? (operation.value.object as Lease) : undefined;
        stored.push({ type: 'lease', lease });
      } else if (key.startsWith(writesPrefix) && operation.type === 'put') {
        stored.push({ type: 'write', name: key.slice(writesPrefix.length) });
      }
    }
    return result;
  };
  const server = createApiServer({ env, store });
  await using scope = new Scope();
  scope.spawn('server', (signal) => server.run({ signal }));
  await clock.run(server.ready);

  let refused = 0;
  const network = new Network({
    clock,
    random,
    handle: server.handle,
    onSend: ({ machine, run }, request) => {
      const value = request.headers[leaderTermHeader];
      const term = value === undefined ? undefined : parseLeaderTerm(value);
      if (term === undefined || request.body?.kind !== 'object') return;
      const { metadata } = request.body.object as KubeObject;
      acts.push({ atMs: clock.monotonicMs(), process: `${machine} run ${run}`, term, name: metadata?.name ?? '' });
    },
    onAnswer: (request, status) => {
      if (request.headers[leaderTermHeader] !== undefined && status === 409) refused++;
    },
  });
  const candidates = Array.from({ length: 3 }, (_unused, index) => {
    const leaseMs = options.mixedDurations === true ? [15_000, 30_000, 8_000][index] : 15_000;
    return new CandidateProcess({ env, network, tell, index, leaseMs: leaseMs ?? 15_000, slowestRate });
  });
  for (const candidate of candidates) candidate.start();

  await trouble({ clock, random, candidates, network, tell, deletesLease: options.deletesLease === true, txnDelete });
  for (const candidate of candidates) candidate.heal();
  network.heal();
  // Messages under way may still arrive; a process that is down may still have to start.
  await clock.advance(network.longestDelayMs);
  const calmMs = clock.monotonicMs();
  tell('calm');
  const before = acts.length;
  const longest = Math.max(...candidates.map(({ boundMs }) => boundMs));
  await clock.advance(longest);
  const again = acts[before];

  for (const candidate of candidates) candidate.end();
  await clock.advance(0);
  const terms = new Set(acts.map(({ term }) => `${term.uid}/${term.transitions}`)).size;
  return {
    seed: options.seed,
    acts,
    stored,
    refused,
    calmMs,
    ledAgainMs: again?.atMs,
    boundMs: longest,
    terms,
    story,
  };

  async function txnDelete(): Promise<void> {
    await store.txn({ compare: [], operations: [{ type: 'delete', key: lockKey }] });
  }
}

interface Trouble {
  readonly clock: ReturnType<typeof createVirtualEnv>['clock'];
  readonly random: Random;
  readonly candidates: readonly CandidateProcess[];
  readonly network: Network;
  readonly tell: (line: string) => void;
  readonly deletesLease: boolean;
  readonly txnDelete: () => Promise<void>;
}

async function trouble(parts: Trouble): Promise<void> {
  const { clock, random, candidates, network, tell } = parts;
  const endMs = clock.monotonicMs() + troubleMs;
  while (clock.monotonicMs() < endMs) {
    await clock.advance(random.float() * 12_000);
    // Most often whoever leads: trouble elsewhere shows nothing.
    const leader = candidates.find((each) => each.leading);
    const one = leader !== undefined && random.float() < 0.6 ? leader : candidates[random.int(candidates.length)];
    if (one === undefined) continue;
    const lastMs = 1_000 + random.float() * 30_000;
    switch (random.int(parts.deletesLease ? 8 : 7)) {
      case 0:
      case 1:
        one.pause(lastMs);
        break;
      case 2:
        network.cut(one.name, (['requests', 'answers', 'both'] as const)[random.int(3)] ?? 'both', lastMs);
        tell(`${one.name} is cut off for ${lastMs.toFixed(0)} ms`);
        break;
      case 3:
        network.slowDown(random.float() * 12_000, lastMs);
        tell(`the store is slow for ${lastMs.toFixed(0)} ms`);
        break;
      case 4:
        one.crash(random.float() * 10_000);
        break;
      case 5:
        one.stop();
        break;
      case 6:
        one.setWallClock((random.float() - 0.5) * 7_200_000);
        break;
      default:
        tell('the Lease is deleted');
        await parts.txnDelete();
    }
  }
}
