// Metadata of whole objects. A server asked over HTTP sends PartialObjectMetadata; in process it hands out the object it shares with
// everybody, so the body is left behind here.

import type { KubeObject, WatchEvent } from '@homeostat/machinery';

/** The object as PartialObjectMetadata; the same object when it is one already. The metadata is shared, not copied. */
export function toPartialMetadata<T extends KubeObject>(object: T): T {
  if (object.kind === 'PartialObjectMetadata' || object.metadata === undefined) return object;
  const partial: KubeObject = {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata: object.metadata,
  };
  // T is the type of a metadata resource here, which has no other fields.
  return partial as T;
}

/** The events of a watch with partial objects. */
export async function* toPartialEvents<T extends KubeObject>(
  events: AsyncIterable<WatchEvent<T>>,
): AsyncGenerator<WatchEvent<T>, void, void> {
  for await (const { type, object } of events) yield { type, object: toPartialMetadata(object) };
}
