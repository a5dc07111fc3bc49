// An operator as a process: finds its cluster as kubectl does (or from within a Pod), serves health and metrics, stops at signals.

import { homedir, hostname } from 'node:os';
import { createRealEnv, type RealEnvOptions } from '@homeostat/base/node';
import { createClient } from '@homeostat/client';
import type { Environment } from '@homeostat/client/node';
import {
  createOperator,
  type Operator,
  type OperatorElection,
  type OperatorOptions,
} from '../operator/create-operator.ts';
import { planOperator, type PlanOperatorOptions } from './plan-operator.ts';
import { managerServer } from './serve-manager.ts';
import { stopOnSignals } from './signals.ts';
import { serveOperatorWebhooks } from './webhook/serve-operator-webhooks.ts';

export interface RunOperatorOptions extends Omit<OperatorOptions, 'client' | 'env' | 'election' | 'serveWebhooks'> {
  /** `process.env` of the program: where the cluster is, how to reach and to authenticate to it. */
  readonly environment: Environment;
  /** A kubeconfig; default as kubectl looks for one, and in a Pod the Pod's own account. */
  readonly kubeconfig?: string;
  readonly context?: string;
  /** `<name>/<version>` for the server's logs; default the operator's name. */
  readonly userAgent?: string;
  /** Port of `/healthz`, `/readyz`, `/metrics` and `/debug/`; 0 picks a free one; default none is opened. */
  readonly port?: number;
  /** Where that port listens; default 127.0.0.1. */
  readonly host?: string;
  /** The Lease to hold, in `namespace` (default: the namespace of the connection); `true` for the usual one. Default none. */
  readonly election?: true | (Omit<OperatorElection, 'namespace' | 'identity'> & { readonly namespace?: string });
  /**
   * `plan`: prints what the operator would do to the cluster as it is, does nothing, and sets the exit code of the process: 0 nothing would
   * change, 2 there are writes, 1 a run would fail. Default `run`.
   */
  readonly mode?: 'run' | 'plan';
  /** Of mode `plan`: what is rehearsed, how it is told, and where. */
  readonly plan?: Omit<PlanOperatorOptions, 'signal'>;
  readonly log?: Pick<RealEnvOptions, 'level' | 'format'>;
  /** Stops it besides signals; then no signals are listened for. */
  readonly signal?: AbortSignal;
  /** Called once with what was put together, before it runs: to add parts or checks. */
  readonly prepare?: (operator: Operator) => void | Promise<void>;
}

/**
 * Runs an operator until SIGINT or SIGTERM, a second of which ends the process at once.
 *
 * @throws what kept it from starting or stopped it: an orchestrator is expected to start the process afresh.
 * @example
 * await runOperator({
 *   name: 'memcached-operator',
 *   environment: process.env,
 *   definitions: [memcacheds.definition],
 *   controllers: [memcachedController],
 *   port: 8080,
 *   election: true,
 * });
 */
export async function runOperator(options: RunOperatorOptions): Promise<void> {
  const { name, environment, kubeconfig, context, userAgent = name, port, host, election, log, prepare } = options;
  const env = createRealEnv(log);
  // Servers import this entry too, and need no kubeconfigs.
  const { createKubeconfigTransport } = await import('@homeostat/client/node');
  const found = createKubeconfigTransport({ env, environment, path: kubeconfig, context, home: homedir() });
  const stop = options.signal === undefined ? stopOnSignals() : undefined;
  try {
    const client = createClient({ transport: found.transport, env, userAgent });
    const { namespace = found.namespace, ...lease } = election === true || election === undefined ? {} : election;
    const operator = createOperator({
      ...options,
      env,
      client,
      serveWebhooks: serveOperatorWebhooks,
      election:
        election === undefined
          ? undefined
          : { releaseOnStop: true, ...lease, namespace, identity: `${hostname()}_${env.random.uuid()}` },
    });
    const signal = options.signal ?? stop?.signal ?? AbortSignal.abort();
    if (options.mode === 'plan') {
      process.exitCode = await planOperator(operator, { ...options.plan, signal });
      return;
    }
    if (port !== undefined) {
      const server = managerServer({
        env,
        source: operator.manager,
        port,
        ...(host === undefined ? {} : { host, access: { client } }),
      });
      operator.manager.add(server, { group: 'services' });
    }
    await prepare?.(operator);
    const controllers = operator.controllers.map((controller) => controller.name).join(', ');
    env.log.info('the operator starts', { operator: name, server: found.server, controllers });
    await operator.run({ signal });
    env.log.info('the operator has stopped', { operator: name });
  } finally {
    stop?.dispose();
    await found.transport.close();
  }
}
