// The schema of one version of a custom resource, with what an object goes through on its way in, and on its way out of
// storage: pruning, metadata into its type, defaults (spec/apiserver.md §14.4).

import { structByName } from '@homeostat/api';
import {
  applyDefaults,
  asMap,
  asResourceRoot,
  canonicalize,
  coerceEmbedded,
  compareBytewise,
  DecodeError,
  decodeObject,
  type Json,
  type JsonMap,
  type KubeObject,
  type Mutable,
  FieldTypeError,
  newInternalError,
  type PruneResult,
  pruneUnknown,
  type StructSchema,
  type StructuralSchema,
} from '@homeostat/machinery';

export type Fields = { [key: string]: Json };

export class VersionSchema {
  readonly apiVersion: string;
  readonly structural: StructuralSchema;
  readonly #root: StructuralSchema;
  readonly #refusal: string | undefined;

  /**
   * @param refusal - why objects of other versions can't be converted into this one; absent: they can, by relabelling (the
   * conversion `None`)
   */
  constructor(apiVersion: string, structural: StructuralSchema, refusal?: string) {
    this.#refusal = refusal;
    this.apiVersion = apiVersion;
    this.structural = structural;
    this.#root = asResourceRoot(structural);
  }

  /**
   * What a client sent, without what the schema does not know; metadata is read into its type. Paths of what was dropped are
   * added to `unknown`. The result is a private draft at its root and in its metadata. @throws DecodeError, Error
   */
  admit(value: JsonMap, unknown: string[]): Mutable<KubeObject> {
    const found: string[] = [];
    const pruned = pruneUnknown(value, this.#root);
    const coerced = coerceEmbedded(pruned.value, this.structural, { objectMeta: objectMetaSchema() });
    if (coerced.error !== undefined) throw new Error(`${coerced.error.field}: ${coerced.error.body}`);
    const draft = { ...coerced.value } as Fields;
    draft['metadata'] = readMetadata(value['metadata'], found) as Json;
    found.push(...pruned.unknown, ...coerced.unknown);
    unknown.push(...found.sort(compareBytewise));
    return draft as Mutable<KubeObject>;
  }

  /** Fills in defaults, in place at the root. */
  applyDefaults(draft: Mutable<KubeObject>): void {
    const filled = applyDefaults(draft as Json, this.structural);
    if (filled === draft) return;
    const target = draft as unknown as Fields;
    for (const key of Object.keys(target)) if (!Object.hasOwn(filled as object, key)) delete target[key];
    Object.assign(target, filled);
  }

  /**
   * A stored object as this version shows it, whatever schema it was written with. Shared where nothing differs.
   *
   * @param written - the version it was written in, where that is another one: its defaults count, not this version's
   */
  restore(object: KubeObject, written?: VersionSchema): KubeObject {
    if (written !== undefined && written !== this) return this.convert(written.restore(object));
    const named = object.apiVersion === this.apiVersion ? object : { ...object, apiVersion: this.apiVersion };
    const { value } = pruneUnknown(named as Json, this.#root);
    const dropInvalid = { objectMeta: objectMetaSchema(), dropInvalid: true };
    return applyDefaults(coerceEmbedded(value, this.structural, dropInvalid).value, this.structural) as KubeObject;
  }

  /** An object of another version in this one, for storage: without defaults, which are applied when it is read. */
  convert(object: KubeObject): KubeObject {
    return this.#converted(object).value as KubeObject;
  }

  /** The same for the comparison of owned fields, which must all be known. @throws FieldTypeError */
  convertWhole(object: KubeObject): KubeObject {
    const { value, unknown } = this.#converted(object);
    const [first] = unknown;
    if (first !== undefined) throw new FieldTypeError(`.${first}: field not declared in schema`);
    return value as KubeObject;
  }

  #converted(object: KubeObject): PruneResult<Json> {
    if (this.#refusal !== undefined && object.apiVersion !== this.apiVersion) {
      throw newInternalError(new Error(this.#refusal));
    }
    return pruneUnknown({ ...object, apiVersion: this.apiVersion } as KubeObject as Json, this.#root);
  }
}

function readMetadata(value: Json | undefined, unknown: string[]): Json {
  if (value === undefined || value === null) return {};
  if (asMap(value) === undefined) {
    const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw new DecodeError(`json: cannot unmarshal ${kind} into Go value of type v1.ObjectMeta`);
  }
  return decodeObject(value, objectMetaSchema(), { onUnknown: (path) => void unknown.push(`metadata.${path}`) });
}

/** Metadata as its Go type writes it. */
export function canonicalMetadata(metadata: KubeObject['metadata']): NonNullable<KubeObject['metadata']> {
  return canonicalize(metadata ?? {}, objectMetaSchema());
}

let objectMeta: StructSchema | undefined;

export function objectMetaSchema(): StructSchema {
  objectMeta ??= structByName('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  if (objectMeta === undefined) throw new Error('no schema of ObjectMeta');
  return objectMeta;
}
