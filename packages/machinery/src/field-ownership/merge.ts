// Merging an applied configuration into the live object: the configuration wins field by field, associative lists
// item by item, atomic values as a whole. Nothing is copied that need not be: unchanged subtrees are shared.

import type { Json } from '../schema/schema.ts';
import { asList, asMap, setOwn } from '../values/json-shapes.ts';
import { atomKind, type FieldType, type ListType, type MapType } from './field-type.ts';
import { itemElement } from './item-element.ts';

/** Merges `config` over `live`. @throws FieldTypeError when an item of an associative list can't be identified */
export function mergeFields(type: FieldType, live: Json | undefined, config: Json | undefined): Json | undefined {
  if (config === undefined || live === config) return live;
  if (live === undefined) return config;
  switch (atomKind(type, config)) {
    case 'scalar':
      return config;
    case 'map': {
      // A null configuration of a map (or list) that is not atomic says nothing.
      const kind = config === null && typeof live !== 'object' ? 'scalar' : 'map';
      return kind === 'scalar' || type.map === undefined || type.map.atomic
        ? config
        : mergeMaps(type.map, live, config);
    }
    case 'list':
      return type.list === undefined || type.list.atomic ? config : mergeLists(type.list, live, config);
  }
}

function mergeMaps(type: MapType, live: Json, config: Json): Json {
  const old = asMap(live);
  const now = asMap(config);
  if (old === undefined || isEmpty(old)) return config;
  if (now === undefined) return live;
  let out: { [key: string]: Json } | undefined;
  for (const key of Object.keys(now)) {
    const value = now[key];
    if (value === undefined) continue;
    const fieldType = type.typeOf(key);
    const merged = fieldType === undefined ? value : (mergeFields(fieldType, old[key], value) ?? null);
    if (merged === old[key]) continue;
    out ??= { ...old };
    setOwn(out, key, merged);
  }
  return out ?? live;
}

function isEmpty(map: { readonly [key: string]: Json }): boolean {
  for (const key in map) if (map[key] !== undefined) return false;
  return true;
}

function mergeLists(type: ListType, live: Json, config: Json): Json {
  const old = asList(live) ?? [];
  const now = asList(config) ?? [];
  if (old.length === 0) return config;
  if (now.length === 0) return live;
  const merged = new ListMerge(type, old, now).run();
  return merged.length === old.length && merged.every((item, index) => item === old[index]) ? live : merged;
}

/**
 * Merges two associative lists. Items of both follow the configuration's order; items only in the live list keep
 * their place relative to their neighbours; new items follow the item they follow in the configuration.
 */
class ListMerge {
  readonly #type: ListType;
  readonly #live: readonly Json[];
  readonly #liveElements: readonly string[];
  readonly #configElements: readonly string[];
  /** Undefined stands for several live items under one element: they count as null. */
  readonly #liveItems = new Map<string, Json>();
  readonly #configItems = new Map<string, Json>();
  readonly #done = new Set<string>();
  readonly #out: Json[] = [];

  constructor(type: ListType, live: readonly Json[], config: readonly Json[]) {
    this.#type = type;
    this.#live = live;
    this.#liveElements = live.map((item) => itemElement(type, item));
    this.#configElements = config.map((item) => itemElement(type, item));
    for (const [index, element] of this.#liveElements.entries()) {
      this.#liveItems.set(element, this.#liveItems.has(element) ? null : (live[index] ?? null));
    }
    for (const [index, element] of this.#configElements.entries())
      this.#configItems.set(element, config[index] ?? null);
  }

  run(): readonly Json[] {
    const shared = this.#configElements.filter((element) => this.#liveItems.has(element));
    let nextShared = shared.shift();
    let l = 0;
    let c = 0;
    while (l < this.#liveElements.length || c < this.#configElements.length) {
      const live = this.#liveElements[l];
      const config = this.#configElements[c];
      if (live !== undefined && config !== undefined) {
        if (live === config) {
          this.#take(config);
          l++;
          c++;
          nextShared = shared.shift();
          continue;
        }
        if (this.#configItems.has(live) && nextShared !== undefined && nextShared !== live) {
          // A shared item out of turn: it comes when the configuration names it.
          l++;
          continue;
        }
      }
      if (live !== undefined) {
        if (!this.#configItems.has(live)) {
          this.#out.push(this.#live[l] ?? null);
          l++;
          continue;
        }
        if (this.#done.has(live)) l++;
      }
      if (config !== undefined) {
        this.#take(config);
        c++;
        if (nextShared === config) nextShared = shared.shift();
      }
    }
    return this.#out;
  }

  #take(element: string): void {
    this.#done.add(element);
    const merged = mergeFields(this.#type.items, this.#liveItems.get(element), this.#configItems.get(element));
    if (merged !== undefined) this.#out.push(merged);
  }
}
