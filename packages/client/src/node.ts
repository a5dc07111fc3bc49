// @homeostat/client/node: HTTP, kubeconfig files.

export type { HttpConnectionOptions, TlsMaterial } from './node/http-connection-options.ts';
export { createHttpTransport, type HttpTransportOptions } from './node/http-transport.ts';
export { inClusterConnection, type InClusterOptions, NotInClusterError } from './node/in-cluster.ts';
export {
  connectionOf,
  createKubeconfigTransport,
  type KubeconfigConnection,
  loadKubeconfig,
  type LoadKubeconfigOptions,
} from './node/load-kubeconfig.ts';
