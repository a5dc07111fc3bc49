// What the API server, discovery, clients and printers know of a served resource. The table itself is generated
// (`generated/resources.json`).

import type { GroupVersionKind, StructSchema } from '@homeostat/machinery';

export interface SubresourceInfo {
  /** e.g. `status`, `scale`, `binding`. */
  readonly name: string;
  /** Kind the subresource speaks, e.g. autoscaling/v1 Scale. */
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

/** One served resource in one version. */
export interface ResourceInfo extends GroupVersionKind {
  /** Plural, lower case. */
  readonly resource: string;
  readonly singular: string;
  /** Empty when there is none. */
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly SubresourceInfo[];
  readonly schema: StructSchema;
  /** The version objects are stored in; several served versions may share one (events, autoscaling). */
  readonly storage: GroupVersionKind & {
    /** Key prefix below `/registry`, e.g. `pods`, `services/specs`, `minions`. */
    readonly prefix: string;
    /** How objects rest in storage; clients choose their own. */
    readonly format: 'protobuf' | 'json';
  };
  /** Discovery's hash of the storage version; absent for what is not stored (reviews, bindings, component statuses). */
  readonly storageVersionHash?: string;
}
