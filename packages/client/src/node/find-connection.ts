// Where to connect, found as kubectl finds it: an explicit kubeconfig, KUBECONFIG, the home folder, and at last the cluster the program
// runs in. One call for programs that want nothing special.

import type { Env } from '@homeostat/base';
import { selectContext } from '../kubeconfig/select-context.ts';
import type { Transport } from '../transport/transport.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';
import { inClusterConnection } from './in-cluster.ts';
import { connectionOf, type KubeconfigConnection } from './kubeconfig-connection.ts';
import { loadKubeconfig, type LoadKubeconfigOptions } from './load-kubeconfig.ts';
import type { Environment } from './proxy/proxy-environment.ts';

export interface FindConnectionOptions extends LoadKubeconfigOptions {
  readonly env: Env;
  /** Default the kubeconfig's current one. */
  readonly context?: string | undefined;
  /**
   * `process.env` of the program: KUBECONFIG (unless `variable` is given), HTTPS_PROXY and its kin, KUBERNETES_SERVICE_HOST and _PORT, and
   * what credential plugins run with. Default empty: nothing of it applies.
   */
  readonly environment?: Environment;
}

/**
 * Loads the kubeconfig and selects a context; without any kubeconfig, the connection of the Pod the program runs in.
 * @throws KubeconfigError; NotInClusterError when there is nothing to connect to.
 */
export function findConnection(options: FindConnectionOptions): KubeconfigConnection {
  const { env, context, environment = {} } = options;
  const variable = options.variable ?? environment['KUBECONFIG'];
  const config = loadKubeconfig({ ...options, variable });
  const empty = config.clusters.size === 0 && config.contexts.size === 0 && config.users.size === 0;
  const host = environment['KUBERNETES_SERVICE_HOST'];
  if (
    empty &&
    config.currentContext === '' &&
    context === undefined &&
    options.path === undefined &&
    host !== undefined
  )
    return inClusterConnection({ env, host, port: environment['KUBERNETES_SERVICE_PORT'] });
  return connectionOf(selectContext(config, context), env, environment);
}

/** Finds the connection and creates its transport. */
export function createKubeconfigTransport(
  options: FindConnectionOptions & Pick<HttpTransportOptions, 'connectTimeoutMs' | 'concurrency'>,
): { readonly transport: Transport; readonly namespace: string; readonly server: string } {
  const { env, connectTimeoutMs, concurrency } = options;
  const connection = findConnection(options);
  const transport = createHttpTransport({
    ...connection,
    env,
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  return { transport, namespace: connection.namespace, server: connection.server };
}
