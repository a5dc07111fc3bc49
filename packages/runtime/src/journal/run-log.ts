// The runs that are kept, in the order of their starts, and the ways to find them: by id, by key, by the object a write left behind, by the
// event that came of a write. All of it O(1) for a run, a write or a wake-up; the oldest run is pushed out by a new one, and its writes with it.

import type { ObjectKey } from '@homeostat/client';
import type { RunReason } from '../controller/run-reasons.ts';
import { type RunEntry, type WriteEntry, wokeMax } from './journal-entry.ts';
import { ResourceLogs } from './resource-log.ts';

export class RunLog {
  readonly #capacity: number;
  readonly #ring: (RunEntry | undefined)[];
  #lastId = 0;
  /** The latest run of a key, by {@link keyId}. */
  readonly #latest = new Map<string, RunEntry>();
  readonly #resources = new ResourceLogs();
  /** Writes without an answer. */
  #underWay = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#ring = Array.from<RunEntry | undefined>({ length: capacity });
  }

  nextId(): number {
    return ++this.#lastId;
  }

  /** Runs kept. */
  get size(): number {
    return Math.min(this.#lastId, this.#capacity);
  }

  get(id: number): RunEntry | undefined {
    const found = this.#ring[id % this.#capacity];
    return found?.id === id ? found : undefined;
  }

  latestOf(controller: string, key: ObjectKey): RunEntry | undefined {
    return this.#latest.get(keyId(controller, key));
  }

  /** Newest first. */
  *newest(): Generator<RunEntry, void, void> {
    for (let id = this.#lastId; id > 0; id--) {
      const run = this.get(id);
      if (run === undefined) return;
      yield run;
    }
  }

  add(run: RunEntry): void {
    const at = run.id % this.#capacity;
    const oldest = this.#ring[at];
    if (oldest !== undefined) this.#pushOut(oldest);
    this.#ring[at] = run;
    const id = keyId(run.controller, run.key);
    const previous = this.#latest.get(id);
    if (previous !== undefined) {
      run.previous = previous;
      previous.next = run;
    }
    this.#latest.set(id, run);
  }

  sent(write: WriteEntry): void {
    this.#underWay++;
    const { underWay } = this.#resources.of(write.resource);
    const known = underWay.get(write.object);
    if (known === undefined) underWay.set(write.object, { writes: [write], waiting: [] });
    else known.writes.push(write);
  }

  /** The answer of a write is in its entry; `sentTo` is the object as it was named when it was sent. */
  settled(write: WriteEntry, sentTo: ObjectKey, gone: boolean): void {
    const log = this.#resources.of(write.resource);
    if (write.kept && this.get(write.run.id) === write.run) {
      if (write.version !== undefined && write.changed !== false) log.byVersion.set(write.version, write);
      if (gone && write.uid !== undefined) log.byGone.set(write.uid, write);
      if (write.error === undefined && write.changed !== false) log.lastWrites.set(write.object, write);
    }
    this.#underWay--;
    const known = log.underWay.get(sentTo);
    if (known === undefined) return;
    for (const { run, reason } of known.waiting) {
      if (this.writeBehind(reason) !== write) continue;
      link(write, run);
      // Until now it was a guess.
      if (run.origin === 'self' && write.run.id < run.id) run.cause = write.run;
    }
    known.writes.splice(known.writes.indexOf(write), 1);
    if (known.writes.length === 0) log.underWay.delete(sentTo);
  }

  /** The write whose event a reason is; undefined when no kept run wrote it. */
  writeBehind(reason: RunReason): WriteEntry | undefined {
    if (reason.type !== 'change') return undefined;
    const log = this.#resources.behind(reason);
    return log.byVersion.get(reason.version) ?? (reason.change === 'deleted' ? log.byGone.get(reason.uid) : undefined);
  }

  /** The write that may turn out to be behind a reason: it is under way to the object. */
  writeUnderWay(reason: RunReason): WriteEntry | undefined {
    if (reason.type !== 'change' || this.#underWay === 0) return undefined;
    return this.#resources.behind(reason).underWay.get(reason.object)?.writes.at(-1);
  }

  /** Remembers that a reason led to a run: at its write, now or when that is answered. */
  woke(run: RunEntry, reason: RunReason): void {
    const write = this.writeBehind(reason);
    if (write !== undefined) {
      link(write, run);
      return;
    }
    if (reason.type !== 'change' || this.#underWay === 0) return;
    const waiting = this.#resources.behind(reason).underWay.get(reason.object)?.waiting;
    if (waiting !== undefined && waiting.length < wokeMax) waiting.push({ run, reason });
  }

  lastWriteTo(resource: string, object: ObjectKey): WriteEntry | undefined {
    return this.#resources.of(resource).lastWrites.get(object);
  }

  #pushOut(run: RunEntry): void {
    const id = keyId(run.controller, run.key);
    if (this.#latest.get(id) === run) this.#latest.delete(id);
    if (run.next !== undefined) run.next.previous = undefined;
    // A kept run may hold on to it, but not through it to what is older.
    run.next = undefined;
    run.cause = undefined;
    for (const write of run.writes) this.#resources.of(write.resource).forget(write);
  }
}

function link(write: WriteEntry, run: RunEntry): void {
  write.woke ??= [];
  if (write.woke.length < wokeMax && write.woke.at(-1) !== run.id) write.woke.push(run.id);
}

export function keyId(controller: string, key: ObjectKey): string {
  return `${controller} ${key}`;
}

export function objectId(resource: string, object: ObjectKey): string {
  return `${resource} ${object}`;
}
