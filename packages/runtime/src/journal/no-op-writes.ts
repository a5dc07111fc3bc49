// Counts writes that changed nothing: the server answered with the version that was there before. They cost a request each, and often
// hide a comparison that never holds (a default that the server fills in, a quantity written in another way).

import type { Counter, Env } from '@homeostat/base';
import type { Finding } from './finding.ts';
import { describeWrite } from './cycle.ts';
import type { WriteEntry } from './journal-entry.ts';

/** Reasons told apart for one controller; further ones count as `other`. */
const reasonsMax = 32;

interface Count {
  total: number;
  inWindow: number;
  sinceMs: number;
  reported: boolean;
}

export class NoOpWrites {
  readonly #env: Env;
  readonly #limits: { readonly writesMax: number; readonly windowMs: number };
  readonly #report: (finding: Finding) => void;
  readonly #counts = new Map<string, Map<string, Count>>();
  readonly #counter: Counter;

  constructor(
    env: Env,
    limits: { readonly writesMax: number; readonly windowMs: number },
    report: (finding: Finding) => void,
  ) {
    this.#env = env;
    this.#limits = limits;
    this.#report = report;
    this.#counter = env.metrics.counter({
      name: 'homeostat_runtime_noop_writes_total',
      help: 'Writes that changed nothing, by controller and reason of the action',
      labelNames: ['controller', 'reason'],
    });
  }

  add(write: WriteEntry): void {
    const { controller } = write.run;
    let reasons = this.#counts.get(controller);
    if (reasons === undefined) this.#counts.set(controller, (reasons = new Map()));
    let reason = write.reason ?? '';
    if (!reasons.has(reason) && reasons.size >= reasonsMax) reason = 'other';
    this.#counter.inc({ controller, reason });
    const nowMs = this.#env.clock.monotonicMs();
    let count = reasons.get(reason);
    if (count === undefined) reasons.set(reason, (count = { total: 0, inWindow: 0, sinceMs: nowMs, reported: false }));
    count.total++;
    if (nowMs - count.sinceMs > this.#limits.windowMs) Object.assign(count, { inWindow: 0, sinceMs: nowMs });
    count.inWindow++;
    if (count.reported || count.inWindow <= this.#limits.writesMax) return;
    count.reported = true;
    this.#report(this.#finding(write, reason, count));
  }

  /** Totals by controller and reason. */
  totals(): Readonly<Record<string, Readonly<Record<string, number>>>> {
    return Object.fromEntries(
      Array.from(this.#counts, ([controller, reasons]) => [
        controller,
        Object.fromEntries(Array.from(reasons, ([reason, { total }]) => [reason, total])),
      ]),
    );
  }

  #finding(write: WriteEntry, reason: string, { inWindow, sinceMs }: Count): Finding {
    const { controller, key, id } = write.run;
    const seconds = (this.#env.clock.monotonicMs() - sinceMs) / 1000;
    return {
      kind: 'no-op-writes',
      controller,
      key,
      atMs: this.#env.clock.nowMs(),
      count: inWindow,
      controllers: [controller],
      run: id,
      reason,
      message: `${controller} made ${inWindow} writes in ${seconds} s that changed nothing; the latest ${describeWrite(write)}`,
      damped: false,
    };
  }
}
