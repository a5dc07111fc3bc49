// Public names of @homeostat/runtime/node: what a process adds to the runtime. Sockets and signals are here and nowhere else in the package.

export { listen, type Listener, type ListenerOptions, type TlsOptions } from './node/http/http-listener.ts';
export {
  type CertificatePair,
  type CertificateRequest,
  createAuthority,
  issueCertificate,
} from './node/pki/certificate-authority.ts';
export type { CertificateSource } from './node/webhook/certificate-source.ts';
export {
  type CertificateStore,
  memoryCertificateStore,
  secretCertificateStore,
  type SecretStoreOptions,
  type StoredCertificates,
} from './node/webhook/certificate-store.ts';
export { fileCertificates, type FileCertificatesOptions } from './node/webhook/file-certificates.ts';
export {
  type SelfSignedCertificates,
  selfSignedCertificates,
  type SelfSignedCertificatesOptions,
  serviceHosts,
} from './node/webhook/self-signed-certificates.ts';
export { serveOperatorWebhooks } from './node/webhook/serve-operator-webhooks.ts';
export { createWebhookServer, type WebhookServer, type WebhookServerOptions } from './node/webhook/webhook-server.ts';
export { planOperator, type PlanOperatorOptions } from './node/plan-operator.ts';
export { runOperator, type RunOperatorOptions } from './node/run-operator.ts';
export { managerServer, serveManager, type ServeManagerOptions } from './node/serve-manager.ts';
export { type SignalStop, type SignalStopOptions, stopOnSignals } from './node/signals.ts';
