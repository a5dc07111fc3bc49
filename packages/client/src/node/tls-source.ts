// The TLS material in use: read when it is made, again every five minutes, and joined with the client certificate of a plugin.

import { createSecureContext } from 'node:tls';
import type { Env } from '@homeostat/base';
import type { ClientCertificate, HttpConnectionOptions, TlsMaterial } from './http-connection-options.ts';

const maxAgeMs = 300_000;
/** A certificate whose key is not there yet, or that is half written, is looked at again sooner. */
const failureAgeMs = 10_000;

/** Material that may change under a running client. */
export class TlsSource {
  readonly #env: Env;
  readonly #read: () => TlsMaterial;
  readonly #changes: boolean;
  #files: TlsMaterial;
  #certificate: ClientCertificate | undefined;
  #readAtMs: number;

  /** @throws what `material` throws the first time. */
  constructor(env: Env, material: HttpConnectionOptions['tls']) {
    this.#env = env;
    this.#changes = typeof material === 'function';
    this.#read = typeof material === 'function' ? material : () => material ?? {};
    this.#files = this.#read();
    this.#readAtMs = env.clock.monotonicMs();
  }

  get current(): TlsMaterial {
    return { ...this.#files, ...this.#certificate };
  }

  /** Reads again when it is time, and takes over `certificate`; whether what connections were made with has changed. */
  refresh(certificate: ClientCertificate | undefined): boolean {
    const certificateChanged =
      certificate?.cert !== this.#certificate?.cert || certificate?.key !== this.#certificate?.key;
    this.#certificate = certificate;
    const nowMs = this.#env.clock.monotonicMs();
    if (!this.#changes || nowMs - this.#readAtMs < maxAgeMs) return certificateChanged;
    this.#readAtMs = nowMs;
    try {
      const { ca, cert, key } = this.#files;
      const next = this.#read();
      createSecureContext(next);
      this.#files = next;
      return certificateChanged || this.#files.ca !== ca || this.#files.cert !== cert || this.#files.key !== key;
    } catch (error) {
      this.#readAtMs = nowMs - maxAgeMs + failureAgeMs;
      this.#env.log.warn('TLS material could not be read again; the old one is kept', { error });
      return certificateChanged;
    }
  }
}
