// @homeostat/client/node: HTTP, kubeconfig files, credentials, proxies, files in containers, local ports.

export { createKubeconfigTransport, findConnection, type FindConnectionOptions } from './node/find-connection.ts';
export type {
  Authenticator,
  ClientCertificate,
  HttpConnectionOptions,
  RequestHeaders,
  TlsMaterial,
} from './node/http-connection-options.ts';
export { createHttpTransport, type HttpTransportOptions } from './node/http-transport.ts';
export { inClusterConnection, type InClusterOptions, NotInClusterError } from './node/in-cluster.ts';
export { connectionOf, type KubeconfigConnection } from './node/kubeconfig-connection.ts';
export { loadKubeconfig, type LoadKubeconfigOptions } from './node/load-kubeconfig.ts';
export {
  type KubeconfigContent,
  modifyKubeconfig,
  setCurrentContext,
  updateKubeconfigUser,
} from './node/modify-kubeconfig.ts';
export { type Environment, proxyFromEnvironment } from './node/proxy/proxy-environment.ts';
export { parseProxyUrl } from './node/proxy/proxy-url.ts';
export { CopyError, copyFromPod, type CopyOptions, copyToPod } from './node/streams/copy-files.ts';
export { type ListenOptions, listenPortForward, type PortForwardListener } from './node/streams/listen-port-forward.ts';
