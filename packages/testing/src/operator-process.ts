// An operator as a process of a test cluster: it can be stopped in order, crash, and be started again.

import { childEnv, Scope } from '@homeostat/base';
import { createClient, createInProcessTransport, TransportError } from '@homeostat/client';
import { adminUser } from '@homeostat/cluster';
import { createOperator, LeadershipLostError, type Operator } from '@homeostat/runtime';
import type { ProcessContext } from './controller-manager-process.ts';
import { cutOff } from './cut-off.ts';
import type { OperatorComponentOptions } from './operator-component.ts';
import type { WebhookRegistry } from './webhooks/webhook-registry.ts';

export interface OperatorProcess {
  readonly name: string;
  /** Its manager, controllers and informers. */
  readonly operator: Operator;
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

/** Starts an operator over a handle. */
export function startOperator(
  { user = adminUser, ...options }: OperatorComponentOptions,
  context: ProcessContext & { readonly webhooks: WebhookRegistry },
): OperatorProcess {
  const { name } = options;
  const env = childEnv(context.env, { component: name });
  const power = new AbortController();
  const transport = createInProcessTransport({ handle: cutOff(context.handle, power.signal), user });
  const client = createClient({ transport, env, userAgent: name, onWarning: () => {} });
  const operator = createOperator({
    ...options,
    caches: { freeze: true, ...options.caches },
    env,
    client,
    serveWebhooks: context.webhooks.serve((handle) => cutOff(handle, power.signal)),
  });
  const scope = new Scope();
  const state = { alive: true, failure: undefined as unknown };
  scope.spawn(name, async (signal) => {
    try {
      await operator.run({ signal });
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
    name,
    operator,
    get alive() {
      return state.alive;
    },
    get leading() {
      return state.alive && operator.manager.elected;
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
