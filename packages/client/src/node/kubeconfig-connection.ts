// The HTTP connection that a kubeconfig's context stands for: server, trust, identity, proxy.

import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Env } from '@homeostat/base';
import { KubeconfigError } from '../kubeconfig/kubeconfig.ts';
import type { SelectedContext } from '../kubeconfig/select-context.ts';
import { createUserAuthenticator } from './auth/user-authenticator.ts';
import type { Authenticator, HttpConnectionOptions, TlsMaterial } from './http-connection-options.ts';
import { type Environment, isLoopback, proxyFromEnvironment } from './proxy/proxy-environment.ts';
import { parseProxyUrl } from './proxy/proxy-url.ts';

/** The connection a context stands for. Certificate, CA and token files are read again when they have changed. */
export interface KubeconfigConnection extends HttpConnectionOptions {
  /** Default namespace. */
  readonly namespace: string;
  readonly authorize: Authenticator;
}

/**
 * The connection of a context. `environment` is what plugins run with and where proxies are named; default none of it.
 * @throws KubeconfigError when a file it names can't be read, or a section can't be used; see also `selectContext`.
 */
export function connectionOf(context: SelectedContext, env: Env, environment: Environment = {}): KubeconfigConnection {
  const readMaterial = (): TlsMaterial => materialOf(context);
  readMaterial(); // a broken path is told now, not on the first request
  const ca = (): string | undefined => readMaterial().ca;
  return {
    server: context.server,
    namespace: context.namespace,
    tls: readMaterial,
    authorize: createUserAuthenticator({ env, context, environment, ca }),
    proxy: proxyOf(context, environment),
    compression: compresses(context),
  };
}

/** As kubectl, unless the server is on this machine: there it costs time only. */
function compresses({ cluster, server }: SelectedContext): boolean {
  const host = URL.canParse(server) ? new URL(server).hostname : '';
  return cluster.value['disable-compression'] !== true && !isLoopback(host);
}

/** `proxy-url` outranks the environment, and NO_PROXY does not apply to it. */
function proxyOf({ cluster, server, name }: SelectedContext, environment: Environment): URL | undefined {
  const text = cluster.value['proxy-url'] ?? '';
  try {
    if (text !== '') return parseProxyUrl(text);
    return URL.canParse(server) ? proxyFromEnvironment(new URL(server), environment) : undefined;
  } catch (error) {
    const where = text === '' ? '' : 'proxy-url: ';
    throw new KubeconfigError(`context ${JSON.stringify(name)}: ${where}${(error as Error).message}`, { cause: error });
  }
}

function materialOf({ cluster, user }: SelectedContext): TlsMaterial {
  const ca = read(cluster.file, cluster.value['certificate-authority-data'], cluster.value['certificate-authority']);
  const cert = read(user.file, user.value['client-certificate-data'], user.value['client-certificate']);
  const key = read(user.file, user.value['client-key-data'], user.value['client-key']);
  const serverName = cluster.value['tls-server-name'];
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined || serverName === '' ? {} : { serverName }),
    ...(cluster.value['insecure-skip-tls-verify'] === true ? { insecureSkipVerify: true } : {}),
  };
}

/** Inline data outranks a file. */
function read(file: string, data: string | undefined, path: string | undefined): string | undefined {
  if (data !== undefined && data !== '')
    return checkedPem(Buffer.from(data, 'base64').toString('utf8'), `${file}: inline data`);
  if (path === undefined || path === '') return undefined;
  const full = isAbsolute(path) ? path : join(dirname(file), path);
  try {
    return checkedPem(readFileSync(full, 'utf8'), full);
  } catch (error) {
    if (error instanceof KubeconfigError) throw error;
    throw new KubeconfigError(`${file}: ${full} can't be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Node takes text without a certificate for no certificate, and an authority that is none for the system's. */
function checkedPem(text: string, where: string): string {
  if (text.includes('-----BEGIN ')) return text;
  throw new KubeconfigError(`${where}: there is no certificate or key in it (PEM; inline, base64 of PEM)`);
}
