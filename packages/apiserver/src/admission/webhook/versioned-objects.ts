// The objects of one request in the version a webhook asks for. Objects of the resource itself are converted through the
// storage version; those of subresources with a kind of their own (Scale, Eviction …) have one version.

import { type ResourceInfo, schemaOf } from '@homeostat/api';
import {
  applySchemaDefaults,
  canonicalize,
  cloneJson,
  decodeObject,
  type GroupVersionKind,
  type Json,
  type KubeObject,
  type Mutable,
  newInternalError,
  type StructSchema,
  toApiVersion,
} from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { ObjectForm, ResourceTable } from '../../server/server-host.ts';

export class VersionedObjects {
  readonly #resources: ResourceTable;
  readonly #attributes: AdmissionAttributes;
  readonly #old = new Map<string, KubeObject>();

  constructor(resources: ResourceTable, attributes: AdmissionAttributes) {
    this.#resources = resources;
    this.#attributes = attributes;
  }

  /** The wanted object as it would go over the wire now; undefined for DELETE. @throws ApiError 500 */
  object(kind: GroupVersionKind): KubeObject | undefined {
    const { object } = this.#attributes;
    return object === undefined ? undefined : this.#show(object as KubeObject, kind);
  }

  /** The stored object; converted once per version. @throws ApiError 500 */
  oldObject(kind: GroupVersionKind): KubeObject | undefined {
    const { oldObject } = this.#attributes;
    if (oldObject === undefined) return undefined;
    const key = `${toApiVersion(kind)} ${kind.kind}`;
    let shown = this.#old.get(key);
    if (shown === undefined) this.#old.set(key, (shown = this.#show(oldObject, kind)));
    return shown;
  }

  /** Reads a document as an object of the kind, with its defaults: what a patch made. @throws Error with Go's text */
  read(document: Json, kind: GroupVersionKind): Mutable<KubeObject> {
    const form = this.#formOf(kind);
    const draft =
      form?.reader?.readPatched(document, []) ?? decodeObject<Mutable<KubeObject>>(document, this.schemaOf(kind));
    if (draft.kind !== kind.kind || draft.apiVersion !== toApiVersion(kind)) {
      const found = `${draft.apiVersion ?? ''}, Kind=${draft.kind ?? ''}`;
      throw new Error(
        `the patch changed the kind of the object from ${toApiVersion(kind)}, Kind=${kind.kind} to ${found}`,
      );
    }
    if (form === undefined) applySchemaDefaults(draft, this.schemaOf(kind));
    else form.applyDefaults(draft);
    return draft;
  }

  /** Puts an object of the kind in the place of the wanted object. */
  replace(draft: Mutable<KubeObject>, kind: GroupVersionKind): void {
    const { object, kind: own } = this.#attributes;
    if (object === undefined) return;
    const next = this.#convert(draft as KubeObject, kind, own);
    for (const key of Object.keys(object)) delete (object as Record<string, unknown>)[key];
    Object.assign(object, next);
  }

  #show(object: KubeObject, kind: GroupVersionKind): KubeObject {
    try {
      const converted = this.#convert(object, this.#attributes.kind, kind);
      return this.#formOf(kind)?.canonical?.(converted) ?? canonicalize(converted, this.schemaOf(kind));
    } catch (error) {
      throw newInternalError(error);
    }
  }

  #convert(object: KubeObject, from: GroupVersionKind, to: GroupVersionKind): KubeObject {
    if (isSameKind(from, to)) return object;
    const [source, target] = [this.#infoOf(from), this.#infoOf(to)];
    if (source === undefined || target === undefined) {
      throw new Error(`cannot convert ${toApiVersion(from)} ${from.kind} to ${toApiVersion(to)} ${to.kind}`);
    }
    const stored = this.#resources.form(source).toStorage(cloneJson(object) as Mutable<KubeObject>);
    return this.#resources.form(target).fromStorage(stored as KubeObject);
  }

  /** The schema of the kind. @throws Error where there is none */
  schemaOf(kind: GroupVersionKind): StructSchema {
    const schema = this.#infoOf(kind)?.schema ?? schemaOf(kind);
    if (schema === undefined) throw new Error(`no schema for ${toApiVersion(kind)} ${kind.kind}`);
    return schema;
  }

  #formOf(kind: GroupVersionKind): ObjectForm | undefined {
    const info = this.#infoOf(kind);
    return info === undefined ? undefined : this.#resources.form(info);
  }

  /** The resource whose own objects are of the kind. */
  #infoOf(kind: GroupVersionKind): ResourceInfo | undefined {
    return this.#resources.findKind(kind);
  }
}

export function isSameKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.kind === b.kind && a.version === b.version && a.group === b.group;
}
