// How the runs of a controller are followed from outside: the journal, shadows. The controller knows this port only. Observers are told
// synchronously and in order; what one of them throws is logged, and it is not asked again: no work fails for being watched.

import type { Env } from '@homeostat/base';
import type { Client, ObjectKey } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import type { ControllerDefinition } from './controller-definition.ts';
import type { RunRecord } from './controller-dependencies.ts';
import type { SentWrite, WriteResult } from './fenced-client.ts';
import type { Action } from './plan.ts';
import type { RunReason, RunReasons } from './run-reasons.ts';

/** Follows one controller. All methods must be quick. */
export interface ControllerObserver {
  /** Something wakes a key. */
  woken?(key: ObjectKey, reason: RunReason): void;
  /** How long a key that is about to run must rest first, milliseconds; 0: it may run. A wake-up asks again. */
  restMs?(key: ObjectKey): number;
  /** A run starts. Undefined: it is of no interest. */
  started(run: StartedRun): RunObserver | undefined;
}

export interface StartedRun {
  readonly key: ObjectKey;
  /** Of the key's object as the cache has it. */
  readonly uid: string | undefined;
  readonly reasons: RunReasons;
  readonly attempt: number;
  /** Wall clock, epoch milliseconds. */
  readonly startedMs: number;
  /** It reads live what its caches do not show yet. */
  readonly live: boolean;
}

/** Follows one run. */
export interface RunObserver {
  /** The action of a plan that the next call is for; undefined once it has been sent. */
  acting?(action: Action | undefined): void;
  /** A write goes out, dry runs excepted. `before`: the newest state of its object the run knows. The result is told what came of it. */
  sending?(write: SentWrite, before: KubeObject | undefined): (result: WriteResult, error: unknown) => void;
  /** The client the run is to use in the place of its own. */
  wrapClient?(client: Client): Client;
  ended(record: RunRecord): void;
}

/** Makes the observer of a controller; undefined: it is of no interest. */
export type Observe = (definition: ControllerDefinition) => ControllerObserver | undefined;

/** The observers of one controller as one. */
export class ControllerObservers {
  readonly #env: Env;
  readonly #observers: Set<ControllerObserver>;

  constructor(definition: ControllerDefinition, observe: readonly Observe[], env: Env) {
    this.#env = env;
    this.#observers = new Set(observe.map((each) => each(definition)).filter((each) => each !== undefined));
  }

  woken(key: ObjectKey, reason: RunReason): void {
    for (const observer of this.#observers) this.#safely(observer, () => observer.woken?.(key, reason));
  }

  restMs(key: ObjectKey): number {
    let restMs = 0;
    for (const observer of this.#observers) {
      restMs = Math.max(restMs, this.#safely(observer, () => observer.restMs?.(key)) ?? 0);
    }
    return restMs;
  }

  /** The observers of a run as one; undefined when there are none. */
  started(run: StartedRun): RunObserver | undefined {
    let joined: RunObserver | undefined;
    for (const observer of this.#observers) {
      const found = this.#safely(observer, () => observer.started(run));
      if (found === undefined) continue;
      const safe = this.#contained(observer, found);
      joined = joined === undefined ? safe : both(joined, safe);
    }
    return joined;
  }

  #contained(observer: ControllerObserver, run: RunObserver): RunObserver {
    return {
      acting: (action) => this.#safely(observer, () => run.acting?.(action)),
      sending: (write, before) => {
        const settled = this.#safely(observer, () => run.sending?.(write, before));
        return (result, error) => this.#safely(observer, () => settled?.(result, error));
      },
      wrapClient: (client) => this.#safely(observer, () => run.wrapClient?.(client)) ?? client,
      ended: (record) => this.#safely(observer, () => run.ended(record)),
    };
  }

  #safely<T>(observer: ControllerObserver, work: () => T): T | undefined {
    if (!this.#observers.has(observer)) return undefined;
    try {
      return work();
    } catch (error) {
      this.#observers.delete(observer);
      this.#env.log.error('an observer of runs failed; it is not asked again', { error });
      return undefined;
    }
  }
}

function both(a: RunObserver, b: RunObserver): RunObserver {
  return {
    acting(action) {
      a.acting?.(action);
      b.acting?.(action);
    },
    sending(write, before) {
      const settled = [a.sending?.(write, before), b.sending?.(write, before)];
      return (result, error) => {
        for (const each of settled) each?.(result, error);
      };
    },
    wrapClient: (client) => b.wrapClient?.(a.wrapClient?.(client) ?? client) ?? client,
    ended(record) {
      a.ended(record);
      b.ended(record);
    },
  };
}
