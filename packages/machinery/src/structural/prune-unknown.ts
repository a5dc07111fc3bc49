// Pruning: fields the schema does not know are dropped (spec/apiserver.md §14.4). Below `x-kubernetes-preserve-unknown-fields`
// everything stays, and pruning begins anew under each property that is specified there.

import type { Json } from '../schema/schema.ts';
import { compareBytewise } from '../values/go-strings.ts';
import { asList, type JsonMap, setOwn } from '../values/json-shapes.ts';
import { asResourceRoot } from './compile-structural.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface PruneOptions {
  /** The value is a whole resource: apiVersion, kind and metadata are left alone. Default false. */
  readonly root?: boolean;
}

export interface PruneResult<T> {
  /** Shares with the input what did not change; the input itself when nothing was dropped. */
  readonly value: T;
  /** Paths of the fields that were dropped (`spec.items[0].odd`), sorted, as warnings and errors name them. */
  readonly unknown: readonly string[];
}

/** Drops what the schema does not know. The input is never changed. Linear in the size of the value. */
export function pruneUnknown<T extends Json>(
  value: T,
  schema: StructuralSchema,
  { root = false }: PruneOptions = {},
): PruneResult<T> {
  const pruning = new Pruning();
  const pruned = pruning.prune(value, root ? asResourceRoot(schema) : schema);
  return { value: pruned as T, unknown: pruning.unknown.sort(compareBytewise) };
}

/** Whether a field of a resource is there whatever its schema says. */
export function isMetaField(name: string): boolean {
  return name === 'metadata' || name === 'kind' || name === 'apiVersion';
}

class Pruning {
  readonly unknown: string[] = [];
  readonly #path: (string | number)[] = [];

  /** Without a schema (below `additionalProperties: true`) no field is known. */
  prune(value: Json, schema: StructuralSchema | undefined): Json {
    if (typeof value !== 'object' || value === null) return value;
    if (schema?.preserveUnknownFields === true && !knowsMore(schema)) return value;
    const list = asList(value);
    if (list !== undefined) return this.#list(list, schema);
    return this.#map(value as JsonMap, schema);
  }

  #list(list: readonly Json[], schema: StructuralSchema | undefined): readonly Json[] {
    let out: Json[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const item = list[i] as Json;
      this.#path.push(i);
      const pruned = this.#item(item, schema);
      this.#path.pop();
      if (pruned === item) continue;
      out ??= list.slice();
      out[i] = pruned;
    }
    return out ?? list;
  }

  #item(item: Json, schema: StructuralSchema | undefined): Json {
    const items = schema?.items;
    if (schema?.preserveUnknownFields !== true) return this.prune(item, items);
    // A list that preserves unknown fields does so for its items too, not for what is specified in them.
    return items === undefined ? item : this.prune(item, { ...items, preserveUnknownFields: true });
  }

  #map(map: JsonMap, schema: StructuralSchema | undefined): JsonMap {
    let out: { [key: string]: Json } | undefined;
    for (const key in map) {
      const value = map[key] as Json;
      if (schema?.embeddedResource === true && isMetaField(key)) continue;
      const child = childSchema(key, schema);
      if (child === 'unknown') {
        this.unknown.push(this.#pathOf(key));
        out ??= { ...map };
        delete out[key];
        continue;
      }
      if (child === 'preserved' || typeof value !== 'object' || value === null) continue;
      this.#path.push(key);
      const pruned = this.prune(value, child === 'unspecified' ? undefined : child);
      this.#path.pop();
      if (pruned === value) continue;
      out ??= { ...map };
      setOwn(out, key, pruned);
    }
    return out ?? map;
  }

  #pathOf(key: string): string {
    let path = '';
    for (const step of [...this.#path, key]) {
      path += typeof step === 'number' ? `[${step}]` : path === '' ? step : `.${step}`;
    }
    return path;
  }
}

function childSchema(
  key: string,
  schema: StructuralSchema | undefined,
): StructuralSchema | 'unknown' | 'preserved' | 'unspecified' {
  if (schema === undefined) return 'unknown';
  const { additionalProperties } = schema;
  const property = schema.properties.get(key);
  if (property !== undefined) return property;
  if (typeof additionalProperties === 'object') return additionalProperties;
  if (additionalProperties !== undefined) return 'unspecified';
  return schema.preserveUnknownFields ? 'preserved' : 'unknown';
}

function knowsMore({ properties, additionalProperties, items }: StructuralSchema): boolean {
  return properties.size > 0 || additionalProperties !== undefined || items !== undefined;
}
