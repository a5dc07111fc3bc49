// Metadata of embedded resources is read into its type, as that of the resource itself is: unknown fields go, wrong types are
// errors (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta`). The type comes from the caller: this package
// knows no kind.

import { canonicalize } from '../codec/canonicalize.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { decodeObject } from '../codec/decode-object.ts';
import { type FieldError, FieldPath, invalid } from '../field-error.ts';
import type { Json, StructSchema } from '../schema/schema.ts';
import { asList, asMap, type JsonMap, setOwn } from '../values/json-shapes.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { sortJson } from '../values/sort-json.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface CoerceOptions {
  /** The type of metadata, `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`. */
  readonly objectMeta: StructSchema;
  /** Drop fields of wrong types instead of refusing them: for what is read from storage. Default false. */
  readonly dropInvalid?: boolean;
}

export interface CoerceResult<T> {
  readonly value: T;
  /** Paths of unknown metadata fields that were dropped, sorted. */
  readonly unknown: readonly string[];
  /** The first field of a wrong type: the request is answered 400 with its text. `value` is then unfinished. */
  readonly error?: FieldError;
}

/**
 * Brings metadata, apiVersion and kind of the embedded resources in a value into shape. The root's own metadata is left to
 * the caller, unless the schema itself says that it is an embedded resource. The input is never changed.
 */
export function coerceEmbedded<T extends Json>(
  value: T,
  schema: StructuralSchema,
  options: CoerceOptions,
): CoerceResult<T> {
  if (!schema.has.embeddedResources) return { value, unknown: [] };
  const coercion = new Coercion(options);
  try {
    const coerced = coercion.coerce(value, schema, undefined);
    return { value: coerced as T, unknown: coercion.unknown.sort(compareBytewise) };
  } catch (error) {
    if (error instanceof CoercionError) return { value, unknown: [], error: error.field };
    throw error;
  }
}

/** Leaves the walk at the first wrong field; never seen outside of this file. */
class CoercionError extends Error {
  readonly field: FieldError;

  constructor(field: FieldError) {
    super(field.body);
    this.field = field;
  }
}

class Coercion {
  readonly unknown: string[] = [];
  readonly #options: CoerceOptions;

  constructor(options: CoerceOptions) {
    this.#options = options;
  }

  coerce(value: Json, schema: StructuralSchema, path: FieldPath | undefined): Json {
    if (!schema.has.embeddedResources || typeof value !== 'object' || value === null) return value;
    const list = asList(value);
    return list === undefined ? this.#map(value as JsonMap, schema, path) : this.#list(list, schema, path);
  }

  #list(list: readonly Json[], { items }: StructuralSchema, path: FieldPath | undefined): readonly Json[] {
    if (items === undefined) return list;
    const out = list.map((item, i) => this.coerce(item, items, (path ?? new FieldPath()).index(i)));
    return out.every((item, i) => item === list[i]) ? list : out;
  }

  #map(map: JsonMap, schema: StructuralSchema, path: FieldPath | undefined): JsonMap {
    const at = path ?? new FieldPath();
    const { additionalProperties } = schema;
    let out: { [key: string]: Json } | undefined;
    for (const key in map) {
      const value = map[key] as Json;
      const isMeta = schema.embeddedResource && (key === 'apiVersion' || key === 'kind' || key === 'metadata');
      const property = schema.properties.get(key);
      const coerced = isMeta
        ? this.#meta(key, value, property, at.child(key))
        : property !== undefined
          ? this.coerce(value, property, at.child(key))
          : typeof additionalProperties === 'object'
            ? this.coerce(value, additionalProperties, at.key(key))
            : value;
      if (coerced === value) continue;
      out ??= { ...map };
      if (coerced === undefined) delete out[key];
      else setOwn(out, key, coerced);
    }
    return out ?? map;
  }

  /** Undefined: the field goes. */
  #meta(key: string, value: Json, property: StructuralSchema | undefined, path: FieldPath): Json | undefined {
    if (value === null && property?.nullable === false && property.default === undefined) return undefined;
    if (key === 'metadata') return this.#metadata(value, path);
    if (typeof value === 'string') return value;
    if (this.#options.dropInvalid === true) return undefined;
    throw new CoercionError(invalid(path, sortJson(value), 'must be a string'));
  }

  #metadata(value: Json, path: FieldPath): Json | undefined {
    try {
      return this.#read(value, path);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const fields = asMap(value);
      if (this.#options.dropInvalid !== true) throw new CoercionError(invalid(path, sortJson(value), error.message));
      return fields === undefined ? undefined : this.#read(this.#readable(fields), path);
    }
  }

  #read(value: Json, path: FieldPath): Json {
    const { objectMeta } = this.#options;
    const draft = decodeObject(value, objectMeta, { onUnknown: (name) => this.unknown.push(String(path.child(name))) });
    return canonicalize(draft, objectMeta) as Json;
  }

  #readable(fields: JsonMap): JsonMap {
    const out: { [key: string]: Json } = {};
    for (const [key, value] of Object.entries(fields)) {
      try {
        decodeObject({ [key]: value }, this.#options.objectMeta);
        setOwn(out, key, value);
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
      }
    }
    return out;
  }
}
