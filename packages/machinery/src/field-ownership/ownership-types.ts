// What field ownership takes and gives: the contract between the API server's request path and the two pure
// functions `trackUpdate` (create, PUT, and every patch but apply) and `applyConfiguration` (server-side apply).
// Nothing here reads a clock, a store or a registry: versions and types come in through `OwnershipTypes`.
// Follows spec/apiserver.md §7.5–7.8 and KEP-555.

import type { KubeObject, ManagedFieldsEntry } from '../meta/object.ts';
import type { StructSchema } from '../schema/schema.ts';
import type { FieldFilter } from './field-filter.ts';

/** How ownership sees the versions of a kind. */
export interface OwnershipTypes {
  /**
   * The type of the kind at `apiVersion`, or undefined when that version is not (or no longer) served:
   * entries recorded at such a version are dropped by the next write.
   */
  schemaFor(apiVersion: string): StructSchema | undefined;
  /**
   * The object at another version of the same kind. Called only with versions that occur in managed fields,
   * that differ from the object's and have a schema. Must not change its argument.
   */
  convert(object: KubeObject, apiVersion: string): KubeObject;
}

/** Where a write came from: this and the operation make the identity of a managed-fields entry. */
export interface OwnershipRequest extends OwnershipTypes {
  /** Field manager: the `fieldManager` parameter, or the user agent's product; empty is recorded as `unknown`. */
  readonly manager: string;
  /** Version of the endpoint. `live`, `object` and `config` are at this version. */
  readonly apiVersion: string;
  /** Subresource of the endpoint, e.g. `status`; empty or absent for the main resource. */
  readonly subresource?: string;
  /** Now, as RFC 3339 in seconds and UTC (`formatTime(env.clock.now())`). */
  readonly time: string;
  /**
   * What the endpoint resets, per version, and therefore nobody owns through it
   * (`excludeFields('status')` for a main resource with a status subresource).
   */
  resetFields?(apiVersion: string): FieldFilter | undefined;
}

/** Input of `trackUpdate`. */
export interface TrackUpdateOptions extends OwnershipRequest {
  /** The stored object; undefined on create. */
  readonly live: KubeObject | undefined;
  /**
   * The object about to be stored, after defaulting. Its own `metadata.managedFields` are what the client sent:
   * absent or null means "keep the live ones", `[]` and `[{}]` clear all tracking; on subresources they are ignored.
   */
  readonly object: KubeObject;
}

/** Input of `applyConfiguration`. */
export interface ApplyOptions extends OwnershipRequest {
  /** The stored object; undefined when the apply creates it. */
  readonly live: KubeObject | undefined;
  /** The applied configuration as decoded from the body: only the fields the manager has an opinion on. */
  readonly config: KubeObject;
  /** Kind the endpoint serves: a configuration of another kind or version is refused. */
  readonly kind: string;
  /** Takes over the fields other managers own instead of failing with a conflict. */
  readonly force?: boolean;
}

/** Result of `applyConfiguration`. */
export interface ApplyResult {
  /**
   * The merged object at the endpoint's version, not yet defaulted or validated; its `metadata` has no managedFields.
   * Unchanged subtrees are shared with `live` and `config`: never write into it.
   */
  readonly object: KubeObject;
  /** To be stored as `metadata.managedFields`; undefined when nobody owns anything. */
  readonly managedFields: readonly ManagedFieldsEntry[] | undefined;
  /** False when the merge left the object as it was (ownership may still have changed, then without a new time). */
  readonly changed: boolean;
}
