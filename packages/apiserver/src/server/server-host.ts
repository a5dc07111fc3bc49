// What the server core offers to the parts that plug into it (authentication, authorization, admission, discovery):
// cached reads, the resource table, and its own front door. Handed to their factories by createApiServer.

import type { KindStrategy, ResourceInfo } from '@homeostat/api';
import type { Env } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import type { GroupResource, GroupVersionKind, Json, KubeObject, Mutable } from '@homeostat/machinery';
import type { Authorizer } from './authorizer.ts';

/** Objects of one resource as the watch cache has them, in the storage version, with resourceVersion. Shared: never change them. */
export interface CachedReader {
  /** Synchronous, from the cache: fresh up to the last event that arrived. `namespace` is empty for cluster-scoped kinds. */
  get(namespace: string, name: string): KubeObject | undefined;
  /** All objects of a namespace, or of all when it is empty, in key order. */
  list(namespace?: string): readonly KubeObject[];
  /** Like `get`, but sees every write acknowledged before the call. */
  getFresh(namespace: string, name: string, signal?: AbortSignal): Promise<KubeObject | undefined>;
  listFresh(namespace?: string, signal?: AbortSignal): Promise<readonly KubeObject[]>;
  /** Calls `listener` after each change the cache took in; `current` undefined: deleted. Returns the way to stop it. */
  onChange(listener: (change: ObjectChange) => void): () => void;
}

export interface ObjectChange {
  readonly current: KubeObject | undefined;
  readonly previous: KubeObject | undefined;
}

/** What is done with objects of one served version. */
export interface ObjectForm {
  /** Fills in the defaults of the version, in place. */
  applyDefaults(draft: Mutable<KubeObject>): void;
  /** A private draft of the storage version from a private draft of this one. */
  toStorage(draft: Mutable<KubeObject>): Mutable<KubeObject>;
  /** An object of the storage version in this one; may share parts with its argument. */
  fromStorage(object: KubeObject): KubeObject;
  /** An object in the form of the wire. Absent: the schema's. */
  canonical?(object: KubeObject): KubeObject;
  /** Reads documents of kinds without a Go type; absent: by the schema. */
  readonly reader?: {
    /** A private draft; paths of unknown fields are added to `unknown`. @throws Error with the text of what is wrong */
    readPatched(patched: Json, unknown: string[]): Mutable<KubeObject>;
  };
}

/** The served resources, open at run time: CRDs come and go. */
export interface ResourceTable {
  /** Every served resource in every version. */
  list(): readonly ResourceInfo[];
  find(group: string, version: string, resource: string): ResourceInfo | undefined;
  findKind(gvk: GroupVersionKind): ResourceInfo | undefined;
  strategy(info: ResourceInfo): KindStrategy;
  /** The `openAPIV3Schema` of a custom resource's version; undefined for all others. */
  customSchema(info: ResourceInfo): Readonly<Record<string, unknown>> | undefined;
  /** @throws Error for a resource that is not served (any more) */
  form(info: ResourceInfo): ObjectForm;
  add(info: ResourceInfo, strategy: KindStrategy): void;
  remove(group: string, version: string, resource: string): void;
  /** Rises with each add and remove: what was computed from the table at another generation is stale. */
  readonly generation: number;
  /** Calls `listener` after each add and remove. Returns the way to stop it. */
  onChange(listener: () => void): () => void;
}

export interface ServerHost {
  readonly env: Env;
  readonly resources: ResourceTable;
  /** The reader of a resource; loads its cache on the first call. @throws Error for a resource that is not stored. */
  reader(resource: GroupResource): CachedReader;
  /** The whole chain, for requests the server makes to itself: set `peer.user`. */
  readonly handle: Handle;
  readonly authorizer: Authorizer;
  /** Whether what every server makes at its start is still being made. */
  readonly isStarting: boolean;
}
