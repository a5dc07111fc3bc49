// Every object of a cluster as the store has it now, for checkers: nothing between them and the truth.

import type { ResourceType } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { resources } from '@homeostat/api';
import type { Store } from '@homeostat/storage';

const root = '/registry/';
const resourceByPrefix = new Map(resources.map((info) => [info.storage.prefix, `${info.resource}.${info.group}`]));

/** All objects at one revision. Versions are those of storage; `metadata.resourceVersion` is filled in. */
export class StoreState {
  readonly revision: number;
  readonly #byResource: ReadonlyMap<string, readonly KubeObject[]>;

  private constructor(revision: number, byResource: ReadonlyMap<string, readonly KubeObject[]>) {
    this.revision = revision;
    this.#byResource = byResource;
  }

  /** Reads a store, at `revision` or now. @throws StorageError `compacted`, `future` */
  static async read(store: Store, revision?: number): Promise<StoreState> {
    const range = await store.range({ prefix: root, ...(revision === undefined ? {} : { revision }) });
    const byResource = new Map<string, KubeObject[]>();
    const decoder = new TextDecoder();
    for (const { key, value, modRevision } of range.items) {
      const resource = resourceOfKey(key);
      if (resource === undefined) continue;
      const object = JSON.parse(decoder.decode(value.bytes())) as KubeObject;
      const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: String(modRevision) } };
      const list = byResource.get(resource);
      if (list === undefined) byResource.set(resource, [versioned]);
      else list.push(versioned);
    }
    return new StoreState(range.revision, byResource);
  }

  list<T extends KubeObject>(resource: ResourceType<T>): readonly T[] {
    return (this.#byResource.get(stateId(resource)) ?? []) as readonly T[];
  }

  /** Every object with its resource, as `plural.group`. */
  *all(): Iterable<{ readonly resource: string; readonly object: KubeObject }> {
    for (const [resource, objects] of this.#byResource) for (const object of objects) yield { resource, object };
  }
}

/** The resource whose objects a key of the store belongs to, as `plural.group`. */
export function resourceOfKey(key: string): string | undefined {
  const rest = key.slice(root.length);
  // Prefixes may have a slash of their own, e.g. `services/specs`.
  const [first = '', second = ''] = rest.split('/', 2);
  const known = resourceByPrefix.get(`${first}/${second}`) ?? resourceByPrefix.get(first);
  // Custom resources are kept under `<group>/<plural>`; their groups have a dot, built-in prefixes that do are known.
  return known ?? (first.includes('.') && second !== '' ? `${second}.${first}` : undefined);
}

/** A resource as {@link StoreState.all} names it. */
export function stateId(resource: ResourceType): string {
  return `${resource.resource}.${resource.group}`;
}
