// Where a webhook server has its certificate from: files that something renews, or a pair it makes itself.

import type { CertificatePair } from '../pki/certificate-authority.ts';

export interface CertificateSource {
  /** The pair to begin with. @throws Error when there is none (yet) */
  load(signal: AbortSignal): Promise<CertificatePair>;
  /** Follows the source until the signal aborts; failures are logged and tried again. */
  run(options: { readonly signal: AbortSignal; readonly onChange: (pair: CertificatePair) => void }): Promise<void>;
}
