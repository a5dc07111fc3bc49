// The two ends of a credential plugin's protocol (client.authentication.k8s.io): what it is told in KUBERNETES_EXEC_INFO, and the
// ExecCredential it prints.

import type { ExecConfig } from './exec-config.ts';
import { type KubeconfigCluster, KubeconfigError } from './kubeconfig.ts';

/** What a plugin gave. At least one of token and certificate is there. */
export interface ExecCredential {
  readonly token?: string;
  /** PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Wall clock, milliseconds; absent: good until the server refuses it. */
  readonly expiresAtMs?: number;
}

/** Value of KUBERNETES_EXEC_INFO. `ca` is the cluster's CA bundle, PEM, from wherever the kubeconfig has it. */
export function toExecInfo(
  config: ExecConfig,
  options: { readonly cluster: KubeconfigCluster; readonly ca: string | undefined; readonly interactive: boolean },
): string {
  const { cluster, ca, interactive } = options;
  const spec = { ...(config.provideClusterInfo ? { cluster: clusterInfo(cluster, ca) } : {}), interactive };
  return JSON.stringify({ kind: 'ExecCredential', apiVersion: config.apiVersion, spec });
}

function clusterInfo(cluster: KubeconfigCluster, ca: string | undefined): object {
  const extension = cluster.extensions?.find(({ name }) => name === 'client.authentication.k8s.io/exec')?.extension;
  return {
    server: cluster.server,
    'tls-server-name': cluster['tls-server-name'],
    'insecure-skip-tls-verify': cluster['insecure-skip-tls-verify'],
    ...(ca === undefined ? {} : { 'certificate-authority-data': btoa(ca) }),
    'proxy-url': cluster['proxy-url'],
    'disable-compression': cluster['disable-compression'],
    config: extension ?? null,
  };
}

/** Reads a plugin's output. @throws KubeconfigError when it holds no usable credential; the message never quotes the output. */
export function readExecCredential(output: string, apiVersion: string): ExecCredential {
  const { kind, apiVersion: given, status } = parse(output);
  if (kind !== 'ExecCredential') throw new KubeconfigError('exec plugin: the output is not an ExecCredential');
  if (given !== apiVersion) {
    throw new KubeconfigError(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${String(given)}`,
    );
  }
  if (typeof status !== 'object' || status === null)
    throw new KubeconfigError("exec plugin didn't return a status field");
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = status as Readonly<
    Record<string, unknown>
  >;
  const cert = textOf(clientCertificateData);
  const key = textOf(clientKeyData);
  if ((cert === '') !== (key === ''))
    throw new KubeconfigError('exec plugin returned only certificate or key, not both');
  if (textOf(token) === '' && cert === '')
    throw new KubeconfigError("exec plugin didn't return a token or cert/key pair");
  const expiresAtMs = textOf(expirationTimestamp) === '' ? undefined : Date.parse(textOf(expirationTimestamp));
  if (Number.isNaN(expiresAtMs)) throw new KubeconfigError('exec plugin: expirationTimestamp is not a time');
  return {
    ...(textOf(token) === '' ? {} : { token: textOf(token) }),
    ...(cert === '' ? {} : { certificate: { cert, key } }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
}

function parse(output: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(output);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Told below: the parser's message would quote a secret.
  }
  throw new KubeconfigError('exec plugin: the output is not a JSON object');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
