// One version of one object, as the watch cache and the answers share it: the stored value plus its revision, and every
// form it was ever asked for, each made once (design law 7). Immutable except for those memoised forms.

import type { KubeObject, Mutable } from '@homeostat/machinery';
import type { KeyValue, ValueHolder } from '@homeostat/storage';
import { objectOf, releaseObject } from './stored-object.ts';

export class ObjectVersion {
  /** Key below the resource's prefix: `namespace/name`, or `name`. */
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly holder: ValueHolder;
  /** Memoised forms by the codec that makes them. */
  #forms: Map<object, unknown> | undefined;
  #object: KubeObject | undefined;
  #fields: Readonly<Record<string, string>> | undefined;

  constructor(path: string, revision: number, holder: ValueHolder) {
    const slash = path.indexOf('/');
    this.path = path;
    this.namespace = slash < 0 ? '' : path.slice(0, slash);
    this.name = slash < 0 ? path : path.slice(slash + 1);
    this.revision = revision;
    this.holder = holder;
  }

  static of(item: KeyValue, prefixLength: number): ObjectVersion {
    return new ObjectVersion(item.key.slice(prefixLength), item.modRevision, item.value);
  }

  /** The same content at another revision: the last state of a deleted object, as its DELETED event shows it. */
  at(revision: number): ObjectVersion {
    return new ObjectVersion(this.path, revision, this.holder);
  }

  /** Without resourceVersion, as stored. */
  get stored(): KubeObject {
    return objectOf(this.holder);
  }

  /** In the storage version, with resourceVersion (none at revision 0: never stored). Shared: never change it. */
  get object(): KubeObject {
    this.#object ??= this.revision === 0 ? this.stored : withResourceVersion(this.stored, String(this.revision));
    return this.#object;
  }

  /** Field values for selectors, computed once. */
  fields(
    selectable: ((object: KubeObject) => Readonly<Record<string, string>>) | undefined,
  ): Readonly<Record<string, string>> {
    this.#fields ??= {
      'metadata.name': this.name,
      'metadata.namespace': this.namespace,
      ...(selectable === undefined ? {} : selectable(this.stored)),
    };
    return this.#fields;
  }

  /** The memoised form of `codec`, made by `make` on first use. */
  form<T>(codec: object, make: (version: ObjectVersion) => T): T {
    let form = this.#forms?.get(codec) as T | undefined;
    if (form === undefined) {
      form = make(this);
      this.#forms ??= new Map();
      this.#forms.set(codec, form);
    }
    return form;
  }

  /** Gives up field values and forms: the next reader makes its own. */
  forget(): void {
    this.#fields = undefined;
    this.#forms = undefined;
  }

  /** Gives up what can be made again from the stored bytes: for versions that were replaced a while ago. */
  release(): void {
    this.#object = undefined;
    this.#forms = undefined;
    releaseObject(this.holder);
  }
}

/** A copy of an object that carries `resourceVersion` at its place in the field order (after uid). */
export function withResourceVersion(object: KubeObject, resourceVersion: string): KubeObject {
  const metadata: Record<string, unknown> = {};
  let placed = false;
  for (const [key, value] of Object.entries(object.metadata ?? {})) {
    if (key === 'resourceVersion') continue;
    if (!placed && afterResourceVersion.has(key)) {
      metadata['resourceVersion'] = resourceVersion;
      placed = true;
    }
    metadata[key] = value;
  }
  if (!placed) metadata['resourceVersion'] = resourceVersion;
  return { ...object, metadata };
}

/** A copy of an object without its resourceVersion: the form that is stored. */
export function withoutResourceVersion(object: KubeObject): KubeObject {
  if (object.metadata?.resourceVersion === undefined) return object;
  const metadata: Mutable<NonNullable<KubeObject['metadata']>> = { ...object.metadata } as never;
  delete metadata.resourceVersion;
  return { ...object, metadata };
}

const afterResourceVersion = new Set([
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]);
