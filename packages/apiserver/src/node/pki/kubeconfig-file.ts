// The kubeconfig that lets kubectl in: one cluster, one user by client certificate, one context.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { encodeYaml } from '@homeostat/machinery';
import type { CertificatePair } from '@homeostat/runtime/node';
import { writeSecret } from './cluster-pki.ts';

export interface KubeconfigFileOptions {
  readonly file: string;
  /** e.g. `https://127.0.0.1:6443`. */
  readonly server: string;
  readonly caCert: string;
  readonly client: CertificatePair;
  /** Name of the user entry; default `kubernetes-admin`. */
  readonly user?: string;
}

/** Writes it with mode 0600, whole or not at all. */
export function writeKubeconfig({
  file,
  server,
  caCert,
  client,
  user = 'kubernetes-admin',
}: KubeconfigFileOptions): void {
  const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'homeostat', cluster: { server, 'certificate-authority-data': base64(caCert) } }],
    users: [
      { name: user, user: { 'client-certificate-data': base64(client.cert), 'client-key-data': base64(client.key) } },
    ],
    contexts: [{ name: 'homeostat', context: { cluster: 'homeostat', user } }],
    'current-context': 'homeostat',
  };
  writeSecret(file, encodeYaml(content));
}
