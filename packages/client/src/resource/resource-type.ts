// The name of a served resource, carrying the TypeScript type of its objects. The client, informers, listers and
// plans all take one; the URL, the cache and the type of the answer follow from it. It holds no connection.

import type { GroupVersionResource, KubeObject, ObjectMeta } from '@homeostat/machinery';

/**
 * A resource of one API version: `pods`, `deployments.apps` …
 *
 * @example const pods = resourceType<Pod>({ group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true });
 */
export interface ResourceType<T extends KubeObject = KubeObject> extends GroupVersionResource {
  readonly kind: string;
  /** Whether objects live in a namespace. */
  readonly namespaced: boolean;
  /** `metadata`: answers are PartialObjectMetadata; see {@link metadataOf}. */
  readonly as?: 'metadata';
  /** Every call goes to this subresource of the object named; see {@link subresourceOf}. */
  readonly subresource?: string;
  /** Of the objects, where it is not the resource's own. */
  readonly apiVersion?: string;
  /** Carries the object type for the compiler only; never set. */
  readonly objectType?: T;
}

/** What {@link resourceType} needs; a `ResourceInfo` of `@homeostat/api` or an entry of discovery will do. */
export interface ResourceTypeOptions extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Creates a {@link ResourceType}. The caller vouches for `T`: nothing checks it at run time. */
export function resourceType<T extends KubeObject = KubeObject>(options: ResourceTypeOptions): ResourceType<T> {
  const { group, version, resource, kind, namespaced } = options;
  return { group, version, resource, kind, namespaced };
}

/** `meta.k8s.io/v1` PartialObjectMetadata: an object without its body. */
export interface PartialObjectMetadata extends KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

/** The same resource, read as metadata only: less to send, decode and keep. */
export function metadataOf(resource: ResourceType): ResourceType<PartialObjectMetadata> {
  return { ...resourceType<PartialObjectMetadata>(resource), as: 'metadata' };
}

/**
 * A subresource whose objects are of another kind, to get, update, patch and apply like any resource. It has no lists and watches.
 *
 * @example
 * const scales = subresourceOf<Scale>(deployments, { subresource: 'scale', apiVersion: 'autoscaling/v1', kind: 'Scale' });
 * const { spec } = await client.get(scales, { namespace: 'x', name: 'web' });
 */
export function subresourceOf<T extends KubeObject = KubeObject>(
  resource: ResourceType,
  of: { readonly subresource: string; readonly apiVersion: string; readonly kind: string },
): ResourceType<T> {
  return { ...resourceType<T>(resource), ...of };
}

/** The identity of a resource as a string, for maps and metrics: `pods.v1.`, `deployments.v1.apps`. */
export function resourceId(resource: GroupVersionResource): string {
  return `${resource.resource}.${resource.version}.${resource.group}`;
}
