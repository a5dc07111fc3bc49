// @homeostat/apiserver/node: the TLS port, and what else needs the real platform.

export {
  createHttpWebhookCaller,
  type HttpWebhookCallerOptions,
} from './admission/webhook/node/http-webhook-caller.ts';
export { listen, type Listener, type ListenerOptions, type TlsOptions } from '@homeostat/runtime/node';
export { nodeDigests, readSigningKey, readVerificationKeys, toSigningKey } from './node/node-crypto.ts';
export { startServer, type StartedServer, type StartServerOptions } from './node/start-server.ts';
export { type CertificatePair, createAuthority, issueCertificate } from '@homeostat/runtime/node';
export {
  type ClientName,
  type ClusterPki,
  type ClusterPkiOptions,
  openClusterPki,
  writeSecret,
} from './node/pki/cluster-pki.ts';
export { type KubeconfigFileOptions, writeKubeconfig } from './node/pki/kubeconfig-file.ts';
