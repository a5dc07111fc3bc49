// Certificates without anybody's help: an authority of its own signs the server's certificate, both are renewed in time, and
// API servers are told the authority (what cert-controller does for Go). For tests and small operators; where there is
// cert-manager, use its files.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Env } from '@homeostat/base';
import type { Client } from '@homeostat/client';
import { type CaBundleTargets, injectCaBundle } from '../../webhook/inject-ca-bundle.ts';
import { type CertificatePair, createAuthority, issueCertificate } from '../pki/certificate-authority.ts';
import type { CertificateSource } from './certificate-source.ts';
import { type CertificateStore, memoryCertificateStore, type StoredCertificates } from './certificate-store.ts';

export interface SelfSignedCertificatesOptions {
  readonly env: Env;
  /** Names and addresses the server is called by; see `serviceHosts`. */
  readonly hosts: readonly string[];
  /** Default: forgotten with the process, which does for one replica. */
  readonly store?: CertificateStore;
  /** Whose caBundle is kept up to date; absent: nobody's, see `caBundle`. */
  readonly inject?: CaBundleTargets & { readonly client: Client };
  /** How long certificates are good, days; default 90; the authority's default 3650. */
  readonly certificateDays?: number;
  readonly authorityDays?: number;
  /** How often certificates, and the bundles API servers have, are looked at, milliseconds; default 1 minute; after a failure 5 s. */
  readonly checkMs?: number;
}

export interface SelfSignedCertificates extends CertificateSource {
  /** PEM to trust, once loaded. @throws Error before */
  readonly caBundle: string;
}

/** Names a Service is called by. */
export function serviceHosts({
  namespace,
  name,
}: {
  readonly namespace: string;
  readonly name: string;
}): readonly string[] {
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}`, name];
}

/** Renewed when less than this share of the life is left. */
const renewShare = 1 / 3;
const savesMax = 5;
const retryMs = 5_000;

export function selfSignedCertificates(options: SelfSignedCertificatesOptions): SelfSignedCertificates {
  return new SelfSigned(options);
}

class SelfSigned implements SelfSignedCertificates {
  readonly #options: SelfSignedCertificatesOptions;
  readonly #store: CertificateStore;
  #current: StoredCertificates | undefined;
  /** What is served with; older than {@link #current} while API servers do not trust that yet. */
  #served: StoredCertificates | undefined;
  /** The last look after things failed: the next one is sooner. */
  #isBehind = false;

  constructor(options: SelfSignedCertificatesOptions) {
    this.#options = options;
    this.#store = options.store ?? memoryCertificateStore();
  }

  get caBundle(): string {
    if (this.#current === undefined) throw new Error('the certificates are not loaded yet');
    return this.#current.caBundle;
  }

  async load(signal: AbortSignal): Promise<CertificatePair> {
    this.#current = await this.#ensure(signal);
    try {
      await this.#inject(signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#isBehind = true;
      this.#options.env.log.error('API servers could not be told the authority of webhooks yet', { error });
    }
    this.#served = this.#current;
    return this.#current.serving;
  }

  async run({ signal, onChange }: Parameters<CertificateSource['run']>[0]): Promise<void> {
    const { env, checkMs = 60_000 } = this.#options;
    while (!signal.aborted) {
      try {
        await env.clock.sleep(this.#isBehind ? Math.min(checkMs, retryMs) : checkMs, signal);
        this.#isBehind = true;
        this.#current = await this.#ensure(signal);
        if (this.#isTrusted()) this.#serve(onChange);
        // A new authority is trusted beside the old one first, then used.
        await this.#inject(signal);
        this.#isBehind = false;
        this.#serve(onChange);
      } catch (error) {
        if (!signal.aborted) env.log.error('certificates could not be looked after; tried again later', { error });
      }
    }
  }

  /** Whether nothing is lost by using what is current, even if API servers can't be told of it. */
  #isTrusted(): boolean {
    const [next, served] = [this.#current, this.#served];
    if (next === undefined || served === undefined || next.authority.cert === served.authority.cert) return true;
    return this.#options.env.clock.nowMs() >= new X509Certificate(served.serving.cert).validToDate.getTime();
  }

  #serve(onChange: (pair: CertificatePair) => void): void {
    const next = this.#current;
    if (next === undefined || next.serving.cert === this.#served?.serving.cert) return;
    this.#served = next;
    onChange(next.serving);
  }

  /** What is stored, if it is good for a while; else something new, unless another replica was faster. */
  async #ensure(signal: AbortSignal): Promise<StoredCertificates> {
    for (let attempt = 1; attempt <= savesMax; attempt++) {
      const found = await this.#store.load(signal);
      const stored = found !== undefined && isSound(found) ? found : undefined;
      if (found !== undefined && stored === undefined)
        this.#options.env.log.warn('the stored certificates do not belong together, or are none; they are made anew');
      const wanted = await this.#renewed(stored);
      if (wanted === stored && stored !== undefined) return stored;
      if (await this.#store.save(wanted, signal)) {
        this.#options.env.log.info('a serving certificate was made', { hosts: this.#options.hosts });
        return wanted;
      }
    }
    throw new Error(`certificates could not be kept: somebody else changed them ${savesMax} times`);
  }

  async #renewed(stored: StoredCertificates | undefined): Promise<StoredCertificates> {
    const { env, hosts, certificateDays = 90, authorityDays = 3650 } = this.#options;
    const nowMs = env.clock.nowMs();
    const keepsAuthority = stored !== undefined && isGood(stored.authority.cert, nowMs);
    if (keepsAuthority && isGood(stored.serving.cert, nowMs) && names(stored.serving.cert, hosts)) return stored;
    const authority = keepsAuthority
      ? stored.authority
      : await createAuthority({ commonName: 'webhook-ca' }, { nowMs, days: authorityDays });
    const serving = await issueCertificate(
      authority,
      { commonName: hosts[0] ?? 'webhook', usage: 'server', hosts },
      { nowMs, days: certificateDays },
    );
    const previous = stored === undefined || keepsAuthority ? '' : stored.authority.cert;
    const caBundle = keepsAuthority ? stored.caBundle : `${previous}${authority.cert}`;
    return { authority, caBundle, serving };
  }

  async #inject(signal: AbortSignal): Promise<void> {
    const { inject, env } = this.#options;
    if (inject !== undefined) await injectCaBundle({ ...inject, env, caBundle: this.caBundle, signal });
  }
}

/** Whether it is what was made here: somebody may have edited it. */
function isSound({ authority, caBundle, serving }: StoredCertificates): boolean {
  try {
    const issuer = new X509Certificate(authority.cert);
    const certificate = new X509Certificate(serving.cert);
    return (
      issuer.checkPrivateKey(createPrivateKey(authority.key)) &&
      certificate.checkPrivateKey(createPrivateKey(serving.key)) &&
      certificate.verify(issuer.publicKey) &&
      caBundle.includes(authority.cert.trim())
    );
  } catch {
    return false;
  }
}

function isGood(cert: string, nowMs: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const life = validToDate.getTime() - validFromDate.getTime();
  return nowMs >= validFromDate.getTime() && validToDate.getTime() - nowMs > life * renewShare;
}

function names(cert: string, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(cert);
  return hosts.every((host) => (certificate.checkHost(host) ?? certificate.checkIP(host)) !== undefined);
}
