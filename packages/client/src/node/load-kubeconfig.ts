// Kubeconfig files: which are read, and the HTTP connection that a context stands for (spec/client.md §2.1, §2.3). The environment is the
// caller's to read.

import { readFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Env } from '@homeostat/base';
import { decodeYaml } from '@homeostat/machinery/yaml';
import { type Kubeconfig, KubeconfigError, type KubeconfigFile, mergeKubeconfigs } from '../kubeconfig/kubeconfig.ts';
import { selectContext, type SelectedContext } from '../kubeconfig/select-context.ts';
import type { Transport } from '../transport/transport.ts';
import type { HttpConnectionOptions, TlsMaterial } from './http-connection-options.ts';
import { createHttpTransport } from './http-transport.ts';
import { createTokenFile } from './token-file.ts';

export interface LoadKubeconfigOptions {
  /** An explicit path: it alone is read, and must exist. */
  readonly path?: string | undefined;
  /** Value of KUBECONFIG: paths, missing ones skipped. */
  readonly variable?: string | undefined;
  /** The home folder, for `.kube/config`. */
  readonly home?: string | undefined;
}

/**
 * Reads and merges the kubeconfig files.
 * @throws KubeconfigError when a file can't be read or is not a kubeconfig. No file at all gives an empty configuration.
 */
export function loadKubeconfig(options: LoadKubeconfigOptions): Kubeconfig {
  const files: KubeconfigFile[] = [];
  for (const file of pathsOf(options)) {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (missing && options.path === undefined) continue;
      throw new KubeconfigError(`${file}: ${(error as Error).message}`, { cause: error });
    }
    try {
      files.push({ file, content: decodeYaml(text) });
    } catch (error) {
      throw new KubeconfigError(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }
  return mergeKubeconfigs(files);
}

function pathsOf({ path, variable, home }: LoadKubeconfigOptions): readonly string[] {
  if (path !== undefined) return [resolve(path)];
  if (variable !== undefined && variable !== '') {
    return [...new Set(variable.split(delimiter).filter((part) => part !== ''))].map((part) => resolve(part));
  }
  return home === undefined ? [] : [join(home, '.kube', 'config')];
}

/** The connection a context stands for. Certificate and token files are read again when they have changed. */
export interface KubeconfigConnection extends HttpConnectionOptions {
  /** Default namespace. */
  readonly namespace: string;
}

/** @throws KubeconfigError when a file it names can't be read; see also `selectContext`. */
export function connectionOf(context: SelectedContext, env: Env): KubeconfigConnection {
  const readMaterial = (): TlsMaterial => materialOf(context);
  readMaterial(); // a broken path is told now, not on the first request
  const headers = impersonationOf(context);
  const authorize = authorizationOf(context, env);
  return {
    server: context.server,
    namespace: context.namespace,
    tls: readMaterial,
    authorize: () => ({ ...headers, ...authorize() }),
  };
}

/** Loads, selects and connects. */
export function createKubeconfigTransport(
  options: LoadKubeconfigOptions & { readonly env: Env; readonly context?: string | undefined },
): { readonly transport: Transport; readonly namespace: string; readonly server: string } {
  const config = loadKubeconfig(options);
  const context = options.context === undefined ? selectContext(config) : selectContext(config, options.context);
  const connection = connectionOf(context, options.env);
  const transport = createHttpTransport({ ...connection, env: options.env });
  return { transport, namespace: context.namespace, server: context.server };
}

function materialOf({ cluster, user }: SelectedContext): TlsMaterial {
  const read = (file: string, data: string | undefined, path: string | undefined): string | undefined => {
    if (data !== undefined && data !== '') return Buffer.from(data, 'base64').toString('utf8');
    if (path === undefined || path === '') return undefined;
    const full = isAbsolute(path) ? path : join(dirname(file), path);
    try {
      return readFileSync(full, 'utf8');
    } catch (error) {
      throw new KubeconfigError(`${file}: ${full} can't be read: ${(error as Error).message}`, { cause: error });
    }
  };
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

function authorizationOf({ user }: SelectedContext, env: Env): () => Readonly<Record<string, string>> {
  const { token, tokenFile, username, password } = user.value;
  if (tokenFile !== undefined && tokenFile !== '') {
    const path = isAbsolute(tokenFile) ? tokenFile : join(dirname(user.file), tokenFile);
    const current = createTokenFile({ path, env, ...(token === undefined ? {} : { fallback: token }) });
    return () => ({ authorization: `Bearer ${current()}` });
  }
  if (token !== undefined && token !== '') return () => ({ authorization: `Bearer ${token}` });
  if (username !== undefined && username !== '') {
    const basic = Buffer.from(`${username}:${password ?? ''}`).toString('base64');
    return () => ({ authorization: `Basic ${basic}` });
  }
  return () => ({});
}

function impersonationOf({ user, name }: SelectedContext): Readonly<Record<string, string>> {
  const { as, 'as-uid': uid, 'as-groups': groups = [], 'as-user-extra': extra = {} } = user.value;
  if (as === undefined || as === '') {
    if (groups.length > 0 || Object.keys(extra).length > 0 || (uid !== undefined && uid !== '')) {
      throw new KubeconfigError(
        `context ${JSON.stringify(name)}: impersonating groups, extra or a uid needs a user name in as`,
      );
    }
    return {};
  }
  // Header values of one name are joined, which these headers don't survive: several groups need one request header each.
  if (groups.length > 1 || Object.values(extra).some((values) => values.length > 1)) {
    throw new KubeconfigError(
      `context ${JSON.stringify(name)}: impersonating more than one group or extra value is not supported`,
    );
  }
  return {
    'impersonate-user': as,
    ...(uid === undefined || uid === '' ? {} : { 'impersonate-uid': uid }),
    ...(groups[0] === undefined ? {} : { 'impersonate-group': groups[0] }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [
        `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
        values[0] ?? '',
      ]),
    ),
  };
}
