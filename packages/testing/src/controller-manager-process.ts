// A controller manager as a process of a test cluster: it can be started, stopped in order, and crash. After a crash nothing of it
// reaches the server any more, whatever its tasks still try.

import { childEnv, type Env } from '@homeostat/base';
import { type Client, createClient, createInProcessTransport, type Handle, type UserInfo } from '@homeostat/client';
import { controllerManagerUser, controllerUser, createTokenSigner, discoverWith } from '@homeostat/cluster';
import {
  type ControllerManager,
  type ControllerManagerOptions,
  type ControllerSettings,
  createControllerManager,
} from '@homeostat/controllers';
import { createLeaderElector } from '@homeostat/runtime';
import { cutOff } from './cut-off.ts';
import { testRootCa } from './fixture/security.ts';
import { fixtureTokenKeys } from './fixture/token-keys.ts';
import { type ProcessLife, startProcess } from './process-life.ts';

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

export interface ControllerManagerProcess extends ProcessLife {
  readonly identity: string;
  /** Controllers, informers and the manager that runs them. */
  readonly parts: ControllerManager;
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
  const { manager } = parts;
  const life = startProcess({ name: userAgent, manager, power, run: (running) => manager.run(running) });
  // Assigned, not spread: what it says of itself changes.
  return Object.assign(life, { identity, parts });
}
