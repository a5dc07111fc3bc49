// @homeostat/cluster/node: a cluster with disks, sockets and keys.

export {
  createServiceAccountTransport,
  type ServiceAccountTransportOptions,
} from './node/service-account-credentials.ts';
export { type StartClusterOptions, startCluster, type StartedCluster } from './node/start-cluster.ts';
