// An operator's webhooks on a port, with the certificate its options ask for.

import { readFile } from 'node:fs/promises';
import type { ServeWebhooks, WebhookServingParts } from '../../operator/operator-webhooks.ts';
import type { CertificateSource } from './certificate-source.ts';
import { secretCertificateStore } from './certificate-store.ts';
import { fileCertificates } from './file-certificates.ts';
import { selfSignedCertificates, serviceHosts } from './self-signed-certificates.ts';
import { createWebhookServer } from './webhook-server.ts';

/** Listens for the API server; see `OperatorWebhooks.listen` and `certificates`. */
export const serveOperatorWebhooks: ServeWebhooks = (parts) => {
  const { webhooks, env } = parts;
  const { source, caBundle } = certificatesOf(parts);
  const server = createWebhookServer({ ...webhooks.listen, env, webhooks: webhooks.handlers, certificates: source });
  return { server, listening: server.listening, caBundle };
};

interface Certificates {
  readonly source: CertificateSource;
  caBundle(signal: AbortSignal): Promise<string | undefined>;
}

function certificatesOf({ webhooks, name, client, env, definitions }: WebhookServingParts): Certificates {
  const { certificates, address, handlers } = webhooks;
  if (certificates !== undefined && 'cert' in certificates) {
    const { cert, key, ca } = certificates;
    return {
      source: fileCertificates({ env, cert, key }),
      caBundle: async (signal) => (ca === undefined ? undefined : readFile(ca, { encoding: 'utf8', signal })),
    };
  }
  const has = (type: string): readonly string[] => (handlers.some((handler) => handler.type === type) ? [name] : []);
  const converted = definitions.filter(({ spec }) => spec?.conversion?.webhook !== undefined);
  const source = selfSignedCertificates({
    env,
    hosts: 'url' in address ? [hostOf(address.url)] : serviceHosts(address.service),
    ...(certificates === undefined ? {} : { store: secretCertificateStore({ client, ...certificates.secret }) }),
    inject: {
      client,
      validating: has('validating'),
      mutating: has('mutating'),
      definitions: converted.map(({ metadata }) => metadata?.name ?? ''),
    },
  });
  return { source, caBundle: async () => source.caBundle };
}

/** IPv6 addresses stand in brackets in URLs, not in certificates. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}
