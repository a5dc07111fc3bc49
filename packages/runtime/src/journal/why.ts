// Questions to the journal: what wrote this object, and what led to that; what came of a run.

import type { ObjectKey } from '@homeostat/client';
import type { RunEntry } from './journal-entry.ts';
import { type JournalRun, type JournalWrite, viewRun, viewWrite } from './journal-view.ts';
import type { RunLog } from './run-log.ts';

/** Why an object is as it is: the last write to it, and the runs that led there. */
export interface Why {
  /** `<resource>.<group>` */
  readonly resource: string;
  readonly object: ObjectKey;
  readonly write: JournalWrite;
  /** From the run that wrote it back to the first one of the chain. */
  readonly runs: readonly JournalRun[];
  /** The first run that is kept was woken by a run that is not kept any more, or the way is longer than is told. */
  readonly truncated: boolean;
}

/** What belongs together with a run. */
export interface RunChain {
  /** All runs of it, oldest first: those that led to the run, and those that its writes, and theirs, woke. */
  readonly runs: readonly JournalRun[];
  /** There are more, or some are not kept any more. */
  readonly truncated: boolean;
}

const ancestorsMax = 100;
const chainMax = 200;

export function whyOf(log: RunLog, resource: string, object: ObjectKey): Why | undefined {
  const write = log.lastWriteTo(resource, object);
  if (write === undefined) return undefined;
  const { runs, truncated } = ancestors(log, write.run);
  return { resource, object, write: viewWrite(write), runs: runs.map((run) => viewRun(run, log)), truncated };
}

export function chainOf(log: RunLog, id: number): RunChain | undefined {
  const run = log.get(id);
  if (run === undefined) return undefined;
  const back = ancestors(log, run);
  const found = new Map(back.runs.map((each) => [each.id, each]));
  let { truncated } = back;
  const queue = [run];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const woken of next.writes.flatMap(({ woke = [] }) => woke)) {
      const child = log.get(woken);
      if (found.size >= chainMax) truncated = true;
      else if (child !== undefined && !found.has(woken)) {
        found.set(woken, child);
        queue.push(child);
      }
    }
  }
  const runs = [...found.values()].toSorted((a, b) => a.id - b.id);
  return { runs: runs.map((each) => viewRun(each, log)), truncated };
}

/** From a run back along the latest write behind each. */
function ancestors(log: RunLog, from: RunEntry): { readonly runs: readonly RunEntry[]; readonly truncated: boolean } {
  const runs: RunEntry[] = [];
  let at: RunEntry | undefined = from;
  while (at !== undefined && runs.length < ancestorsMax) {
    if (log.get(at.id) !== at) return { runs, truncated: true };
    runs.push(at);
    at = at.cause;
  }
  return { runs, truncated: at !== undefined };
}
