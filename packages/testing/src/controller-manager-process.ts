// A controller manager as a process of a test cluster: it can be started, stopped in order, and crash. After a crash nothing of it
// reaches the server any more, whatever its tasks still try.

import { childEnv, type Env, Scope } from '@homeostat/base';
import {
  type Client,
  createClient,
  createInProcessTransport,
  type Handle,
  TransportError,
  type UserInfo,
} from '@homeostat/client';
import { controllerManagerUser, controllerUser, createTokenSigner, discoverWith } from '@homeostat/cluster';
import {
  type ControllerManager,
  type ControllerManagerOptions,
  type ControllerSettings,
  createControllerManager,
} from '@homeostat/controllers';
import { createLeaderElector, LeadershipLostError } from '@homeostat/runtime';
import { cutOff } from './cut-off.ts';
import { testRootCa } from './fixture/security.ts';
import { fixtureTokenKeys } from './fixture/token-keys.ts';

export interface ControllerManagerProcessOptions {
  /** Told apart in the user agent (`kube-controller-manager/<identity>`) and in the Lease. */
  readonly identity: string;
  /** `--controllers`; default all. */
  readonly controllers?: readonly string[];
  readonly settings?: ControllerSettings;
  /** Takes part in leader election before it acts; default false. */
  readonly election?: boolean;
  readonly resyncPeriodMs?: number;
  readonly repairPeriodMs?: number;
  readonly onAction?: ControllerManagerOptions['onAction'];
}

export interface ControllerManagerProcess {
  readonly identity: string;
  /** Controllers, informers and the manager that runs them. */
  readonly parts: ControllerManager;
  /** Whether it runs and was neither stopped nor crashed. */
  readonly alive: boolean;
  /** Whether its controllers may act. */
  readonly leading: boolean;
  /** What ended it, if not a stop nor the loss of its lease. */
  readonly failure: unknown;
  /** Lets reconciles end, then ends. Drive the clock meanwhile. */
  stop(): Promise<void>;
  /** Cuts its connections and ends it. Drive the clock meanwhile. */
  crash(): Promise<void>;
}

const userAgent = 'kube-controller-manager';

export interface ProcessContext {
  readonly env: Env;
  /** The server, faults included. */
  readonly handle: Handle;
}

/** Starts a controller manager over a handle. */
export function startControllerManager(
  options: ControllerManagerProcessOptions,
  context: ProcessContext,
): ControllerManagerProcess {
  const { identity } = options;
  const env = childEnv(context.env, { component: userAgent, identity });
  const power = new AbortController();
  const handle = cutOff(context.handle, power.signal);
  const clientAs = (user: UserInfo): Client =>
    createClient({
      transport: createInProcessTransport({ handle, user }),
      env,
      userAgent: `${userAgent}/${identity}`,
      onWarning: () => {},
    });
  const client = clientAs(controllerManagerUser);
  const parts = createControllerManager({
    env,
    client,
    clientFor: (serviceAccount) => clientAs(controllerUser(serviceAccount)),
    discover: discoverWith(client),
    settings: {
      rootCa: testRootCa,
      tokenSigner: createTokenSigner({ keys: fixtureTokenKeys, rootCa: testRootCa }),
      ...options.settings,
    },
    freeze: true,
    ...(options.controllers === undefined ? {} : { controllers: options.controllers }),
    ...(options.resyncPeriodMs === undefined ? {} : { resyncPeriodMs: options.resyncPeriodMs }),
    ...(options.repairPeriodMs === undefined ? {} : { repairPeriodMs: options.repairPeriodMs }),
    ...(options.onAction === undefined ? {} : { onAction: options.onAction }),
    ...(options.election === true
      ? { election: createLeaderElector({ client, env, namespace: 'kube-system', name: userAgent, identity }) }
      : {}),
  });
  const scope = new Scope();
  const state = { alive: true, failure: undefined as unknown };
  scope.spawn(userAgent, async (signal) => {
    try {
      await parts.manager.run({ signal });
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
    identity,
    parts,
    get alive() {
      return state.alive;
    },
    get leading() {
      return state.alive && parts.manager.elected;
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
