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
  SelectOptions,
  UpdateOptions,
  WatchOptions,
  WriteOptions,
} from './client/client.ts';
export { keyOf, type ObjectKey, splitKey, toKey } from './resource/object-key.ts';
export {
  metadataOf,
  type PartialObjectMetadata,
  resourceId,
  type ResourceType,
  resourceType,
  type ResourceTypeOptions,
} from './resource/resource-type.ts';
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
