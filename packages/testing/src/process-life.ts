// How a process of a test cluster lives and ends: run by a manager, stopped in order, or cut off from its server as by `kill -9`.

import { Scope } from '@homeostat/base';
import { TransportError } from '@homeostat/client';
import { LeadershipLostError, type Manager } from '@homeostat/runtime';

export interface ProcessLife {
  /** Whether it runs and was neither stopped nor crashed, nor has lost its lease. */
  readonly alive: boolean;
  /** Whether its controllers may act. */
  readonly leading: boolean;
  /** What ended it, if not a stop nor the loss of its lease. */
  readonly failure: unknown;
  /** Lets reconciles end, then ends, as at SIGTERM. The cluster's `run` drives the clock meanwhile. */
  stop(): Promise<void>;
  /** Cuts its connections and ends it, as `kill -9` does. The cluster's `run` drives the clock meanwhile. */
  crash(): Promise<void>;
}

export interface ProcessParts {
  readonly name: string;
  readonly manager: Pick<Manager, 'elected'>;
  /** Aborted by a crash; what the process sends goes through `cutOff` of its signal. */
  readonly power: AbortController;
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Starts a process. */
export function startProcess({ name, manager, power, run }: ProcessParts): ProcessLife {
  const scope = new Scope();
  const state = { alive: true, failure: undefined as unknown };
  scope.spawn(name, async (signal) => {
    try {
      await run({ signal });
    } catch (error) {
      if (!signal.aborted && !(error instanceof LeadershipLostError)) state.failure = error;
    } finally {
      state.alive = false;
    }
  });
  const end = async (): Promise<void> => {
    state.alive = false;
    await scope.close();
  };
  return {
    get alive() {
      return state.alive;
    },
    get leading() {
      return state.alive && manager.elected;
    },
    get failure() {
      return state.failure;
    },
    stop: end,
    crash: async () => {
      power.abort(new TransportError('reset', 'the process is gone'));
      await end();
    },
  };
}
