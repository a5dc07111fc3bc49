// A certificate and its key in files, as cert-manager and Secrets mounted into a Pod leave them: read again while the server
// runs. Looked at by content, since mounted Secrets are changed by swapping symbolic links, which file watches miss.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Env } from '@homeostat/base';
import type { CertificatePair } from '../pki/certificate-authority.ts';
import type { CertificateSource } from './certificate-source.ts';

export interface FileCertificatesOptions {
  readonly env: Env;
  /** Paths of PEM files; chains begin with the server's own certificate. */
  readonly cert: string;
  readonly key: string;
  /** How often they are looked at, milliseconds; default 10 s. */
  readonly pollMs?: number;
}

/** A pair that does not fit together (half written) is not used: the old one stays until the next look. */
export function fileCertificates({ env, cert, key, pollMs = 10_000 }: FileCertificatesOptions): CertificateSource {
  const reads = env.metrics.counter({ name: 'certwatcher_read_certificate_total', help: 'Reads of certificate files' });
  const failures = env.metrics.counter({
    name: 'certwatcher_read_certificate_errors_total',
    help: 'Reads of certificate files that failed',
  });
  let current: CertificatePair | undefined;
  const read = async (signal: AbortSignal): Promise<CertificatePair> => {
    reads.inc();
    try {
      const [certPem, keyPem] = await Promise.all([
        readFile(cert, { encoding: 'utf8', signal }),
        readFile(key, { encoding: 'utf8', signal }),
      ]);
      checkPair(certPem, keyPem);
      return { cert: certPem, key: keyPem };
    } catch (error) {
      failures.inc();
      throw new Error(`cannot use the certificate ${cert} with the key ${key}: ${textOf(error)}`, { cause: error });
    }
  };
  return {
    load: async (signal) => (current = await read(signal)),
    async run({ signal, onChange }) {
      while (!signal.aborted) {
        try {
          await env.clock.sleep(pollMs, signal);
          const next = await read(signal);
          if (next.cert === current?.cert && next.key === current.key) continue;
          current = next;
          env.log.info('the serving certificate was read again', { cert });
          onChange(next);
        } catch (error) {
          if (!signal.aborted)
            env.log.error('the serving certificate could not be read again; the old one stays', { error });
        }
      }
    },
  };
}

/** @throws Error when either is malformed, or the key is another certificate's */
function checkPair(cert: string, key: string): void {
  const certificate = new X509Certificate(cert);
  if (!certificate.checkPrivateKey(createPrivateKey(key)))
    throw new Error('the key does not belong to the certificate');
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
