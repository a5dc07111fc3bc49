// The connection of a program that runs in a Pod (spec/client.md §2.2): the service's address from the environment, which the caller
// reads, and the mounted ServiceAccount files.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '@homeostat/base';
import type { KubeconfigConnection } from './kubeconfig-connection.ts';
import { createTokenFile } from './auth/token-file.ts';
import { type Environment, proxyFromEnvironment } from './proxy/proxy-environment.ts';

export interface InClusterOptions {
  readonly env: Env;
  /** Value of KUBERNETES_SERVICE_HOST. */
  readonly host: string | undefined;
  /** Value of KUBERNETES_SERVICE_PORT. */
  readonly port: string | undefined;
  /** Where the ServiceAccount is mounted. */
  readonly folder?: string;
  /** Where HTTPS_PROXY and NO_PROXY are looked for; default nowhere. */
  readonly environment?: Environment;
}

/** The program does not run in a Pod. */
export class NotInClusterError extends Error {
  override readonly name = 'NotInClusterError';
}

/** @throws NotInClusterError when the environment does not name the API server, or no token is mounted. */
export function inClusterConnection(options: InClusterOptions): KubeconfigConnection {
  const { env, host, port, folder = '/var/run/secrets/kubernetes.io/serviceaccount', environment = {} } = options;
  if (host === undefined || host === '' || port === undefined || port === '') {
    throw new NotInClusterError(
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be set to connect from within a cluster',
    );
  }
  const tokenPath = join(folder, 'token');
  if (!existsSync(tokenPath))
    throw new NotInClusterError(`no ServiceAccount token is mounted: ${tokenPath} does not exist`);
  const token = createTokenFile({ path: tokenPath, env });
  const caPath = join(folder, 'ca.crt');
  const namespacePath = join(folder, 'namespace');
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    server,
    namespace: existsSync(namespacePath) ? readFileSync(namespacePath, 'utf8').trim() : 'default',
    proxy: proxyFromEnvironment(new URL(server), environment),
    tls: () => (existsSync(caPath) ? { ca: readFileSync(caPath, 'utf8') } : {}),
    authorize: { headers: () => ({ authorization: `Bearer ${token()}` }) },
  };
}
