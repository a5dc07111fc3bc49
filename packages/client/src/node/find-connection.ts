// Where to connect, found as kubectl finds it: an explicit kubeconfig, KUBECONFIG, the home folder, and at last the cluster the program
// runs in. One call for programs that want nothing special.

import type { Env } from '@homeostat/base';
import { KubeconfigError } from '../kubeconfig/kubeconfig.ts';
import { selectContext } from '../kubeconfig/select-context.ts';
import type { Transport } from '../transport/transport.ts';
import { createHttpTransport, type HttpTransportOptions } from './http-transport.ts';
import { inClusterConnection } from './in-cluster.ts';
import { connectionOf, type KubeconfigConnection } from './kubeconfig-connection.ts';
import { kubeconfigPaths, loadKubeconfig, type LoadKubeconfigOptions } from './load-kubeconfig.ts';
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
 * @throws KubeconfigError, also when there is nothing to connect to; NotInClusterError when the Pod has no ServiceAccount.
 */
export function findConnection(options: FindConnectionOptions): KubeconfigConnection {
  const { env, environment = {} } = options;
  // Empty, as a flag or a variable that is not set: not given.
  const context = options.context === '' ? undefined : options.context;
  const path = options.path === '' ? undefined : options.path;
  const variable = options.variable ?? environment['KUBECONFIG'];
  const where = { ...options, path, variable };
  const config = loadKubeconfig(where);
  const empty = config.clusters.size === 0 && config.contexts.size === 0 && config.users.size === 0;
  const host = environment['KUBERNETES_SERVICE_HOST'];
  if (empty && config.currentContext === '' && context === undefined && path === undefined && host !== undefined)
    return inClusterConnection({ env, host, port: environment['KUBERNETES_SERVICE_PORT'], environment });
  if (empty && context === undefined && config.currentContext === '') {
    const looked = kubeconfigPaths(where).join(', ');
    throw new KubeconfigError(
      `there is nothing to connect to: ${looked === '' ? 'no kubeconfig is named' : `no kubeconfig in ${looked}`}, and KUBERNETES_SERVICE_HOST names no cluster around us`,
    );
  }
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
