// Keeps the memories of the authorizers in step with the stored objects: RBAC objects into an RbacPolicy, Pods and what
// hangs on them into a NodeGraph. Edge-driven from the watch caches; starts with what they hold.

import type { KubeObject } from '@homeostat/machinery';
import type { CachedReader, ServerHost } from '../server/server-host.ts';
import type { NodeGraph, RelatedType } from './node/node-graph.ts';
import type { PersistentVolumeLike, PodLike } from './node/pod-references.ts';
import type { RbacPolicy, RbacResource } from './rbac/rbac-policy.ts';

const rbacResources: readonly RbacResource[] = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'];

/** Follows the four RBAC resources until the returned function is called. */
export function followRbacPolicy(host: Pick<ServerHost, 'reader'>, policy: RbacPolicy): () => void {
  const stops = rbacResources.map((resource) =>
    follow(host.reader({ group: 'rbac.authorization.k8s.io', resource }), {
      set: (object) => policy.set(resource, object),
      delete: (object) => {
        const { namespace = '', name = '' } = object.metadata ?? {};
        policy.delete(resource, { namespace, name });
      },
    }),
  );
  return () => stops.forEach((stop) => stop());
}

interface NodeOwned extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
}

/** Follows what relates objects to nodes until the returned function is called. Resources not served are left out. */
export function followNodeGraph(host: Pick<ServerHost, 'reader' | 'resources'>, graph: NodeGraph): () => void {
  const stops: (() => void)[] = [
    follow(host.reader({ group: '', resource: 'pods' }), {
      set: (pod: PodLike) => graph.setPod(pod),
      delete: (pod) => graph.deletePod(pod),
    }),
    follow(host.reader({ group: '', resource: 'persistentvolumes' }), {
      set: (volume: PersistentVolumeLike) => graph.setVolume(volume),
      delete: (volume) => graph.deleteVolume(volume),
    }),
  ];
  const owned: readonly (readonly [RelatedType, string, string])[] = [
    ['volumeattachment', 'storage.k8s.io', 'volumeattachments'],
    ['resourceslice', 'resource.k8s.io', 'resourceslices'],
    ['podcertificaterequest', 'certificates.k8s.io', 'podcertificaterequests'],
  ];
  for (const [type, group, resource] of owned) {
    if (!host.resources.list().some((info) => info.group === group && info.resource === resource)) continue;
    stops.push(
      follow(host.reader({ group, resource }), {
        set: (object: NodeOwned) => graph.setOwned(type, object, object.spec?.nodeName ?? ''),
        delete: (object) => graph.setOwned(type, object, ''),
      }),
    );
  }
  return () => stops.forEach((stop) => stop());
}

function follow<T extends KubeObject>(
  reader: CachedReader,
  sink: { set(object: T): void; delete(object: KubeObject): void },
): () => void {
  const stop = reader.onChange(({ current, previous }) => {
    if (current !== undefined) sink.set(current as T);
    else if (previous !== undefined) sink.delete(previous);
  });
  for (const object of reader.list()) sink.set(object as T);
  return stop;
}
