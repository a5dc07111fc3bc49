// Public names of @homeostat/client. HTTP is under `./node`.

export type {
  ApplyOptions,
  CallOptions,
  Client,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ListPage,
  LogOptions,
  PatchKind,
  PatchOptions,
  RawRequest,
  RequestHeaders,
  SelectOptions,
  UpdateOptions,
  WatchOptions,
  WriteOptions,
} from './client/client.ts';
export type { ApplyConfiguration } from './client/apply-configuration.ts';
export { type ClientOptions, createClient } from './client/create-client.ts';
export type { AdaptiveLimitOptions } from './concurrency/adaptive-limit.ts';
export { type ConcurrencyOptions, limitConcurrency } from './concurrency/limit-concurrency.ts';
export {
  discover,
  type DiscoverOptions,
  type DiscoveryCache,
  type DiscoveredGroup,
  type DiscoveredResource,
  type DiscoveredSubresource,
  type Discovery,
} from './discovery/discovery.ts';
export {
  createRestMapper,
  type GroupKind,
  NoMatchError,
  type RestMapper,
  type RestMapperOptions,
} from './discovery/rest-mapper.ts';
export { createInProcessTransport, type InProcessTransportOptions } from './in-process/in-process-transport.ts';
export {
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigContext,
  KubeconfigError,
  type KubeconfigFile,
  type KubeconfigUser,
  type Located,
  mergeKubeconfigs,
} from './kubeconfig/kubeconfig.ts';
export { type ExecConfig, toExecConfig } from './kubeconfig/exec-config.ts';
export { selectContext, type SelectedContext } from './kubeconfig/select-context.ts';
export { compareResourceVersions, isNewerResourceVersion } from './resource/resource-version.ts';
export { keyOf, type Named, type ObjectKey, splitKey, toKey } from './resource/object-key.ts';
export {
  metadataOf,
  type PartialObjectMetadata,
  resourceId,
  type ResourceType,
  resourceType,
  type ResourceTypeOptions,
  subresourceOf,
} from './resource/resource-type.ts';
export { decodeError, type RequestSubject } from './rest/decode-error.ts';
export {
  formatLeaderTerm,
  isLeaderTermEnded,
  type LeaderTerm,
  leaderTermEnded,
  leaderTermHeader,
  parseLeaderTerm,
} from './rest/leader-term.ts';
export {
  apiErrorOf,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUncertain,
} from './rest/predicates.ts';
export { type Impersonation, impersonationHeaders } from './rest/impersonation.ts';
export { type RetryEnv, retryOnConflict, type RetryOnConflictOptions } from './rest/retry-on-conflict.ts';
export { isTransportError, TransportError, type TransportErrorCode } from './transport/transport-error.ts';
export type {
  ApiRequest,
  ApiResponse,
  DuplexConnection,
  Handle,
  Peer,
  RequestBody,
  ResponseBody,
  Transport,
  UserInfo,
} from './transport/transport.ts';
export { resourcePath, type ResourcePathOptions } from './rest/resource-path.ts';
