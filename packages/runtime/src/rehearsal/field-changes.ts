// The fields in which two states of an object differ, for people: paths with both values. What only the server writes is left out, and so
// are the values of Secrets.

import { deepEqual, type Json, type KubeObject } from '@homeostat/machinery';
import { essence } from './pretend-write.ts';

/** One field that changes. */
export interface FieldChange {
  /** e.g. `spec.template.spec.containers[web].image`, `metadata.labels["app.kubernetes.io/name"]` */
  readonly path: string;
  /** Absent: there was none. */
  readonly from?: Json;
  /** Absent: there is none any more. */
  readonly to?: Json;
}

/** In the place of values of Secrets. */
export const hidden = '(hidden)';

/** Changes of one object that are listed; the last then says that there are more. */
const changesMax = 200;

type JsonMap = { readonly [key: string]: Json };

/** How two states differ; undefined is an object that is not there. */
export function fieldChanges(before: KubeObject | undefined, after: KubeObject | undefined): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  const from = before === undefined ? undefined : stripped(before);
  const to = after === undefined ? undefined : stripped(after);
  compare('', from ?? {}, to ?? {}, changes);
  const kind = (after ?? before)?.kind;
  const shown = kind === 'Secret' ? changes.map(withoutValues) : changes;
  if (shown.length <= changesMax) return shown;
  return [...shown.slice(0, changesMax), { path: `… and ${shown.length - changesMax} more` }];
}

function stripped(object: KubeObject): JsonMap {
  const { metadata, ...rest } = essence(object) as { readonly metadata?: JsonMap } & JsonMap;
  const { uid: _uid, creationTimestamp: _created, name: _name, namespace: _namespace, ...kept } = metadata ?? {};
  return Object.keys(kept).length === 0 ? rest : { metadata: kept, ...rest };
}

function withoutValues(change: FieldChange): FieldChange {
  if (!/^(data|stringData)\b/.test(change.path)) return change;
  return {
    path: change.path,
    ...(change.from === undefined ? {} : { from: hidden }),
    ...(change.to === undefined ? {} : { to: hidden }),
  };
}

function compare(path: string, from: Json | undefined, to: Json | undefined, into: FieldChange[]): void {
  if (from === to || (from !== undefined && to !== undefined && deepEqual(from, to))) return;
  if (isMap(from ?? {}) && isMap(to ?? {}) && (isMap(from) || isMap(to))) {
    const [a, b] = [(from ?? {}) as JsonMap, (to ?? {}) as JsonMap];
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    // An empty map that comes or goes has no fields to show.
    if (names.size === 0) into.push(changeOf(path, from, to));
    for (const name of names) compare(joined(path, name), a[name], b[name], into);
    return;
  }
  const [a, b] = [from ?? [], to ?? []];
  if (
    Array.isArray(a) &&
    Array.isArray(b) &&
    (a.length > 0 || b.length > 0) &&
    (Array.isArray(from) || Array.isArray(to))
  ) {
    const [left, right] = [itemsOf(a), itemsOf(b)];
    if (left !== undefined && right !== undefined) {
      for (const id of new Set([...left.keys(), ...right.keys()])) {
        compare(`${path}[${id}]`, left.get(id), right.get(id), into);
      }
      return;
    }
  }
  into.push(changeOf(path, from, to));
}

/** Items by what tells them apart: their names, types or keys; undefined for lists of plain values, which are compared as a whole. */
function itemsOf(list: readonly Json[]): ReadonlyMap<string, Json> | undefined {
  const items = new Map<string, Json>();
  for (const [at, item] of list.entries()) {
    if (!isMap(item)) return undefined;
    const id = item['name'] ?? item['type'] ?? item['key'] ?? item['uid'];
    const text = typeof id === 'string' ? id : String(at);
    items.set(items.has(text) ? `${text}#${at}` : text, item);
  }
  return items;
}

function changeOf(path: string, from: Json | undefined, to: Json | undefined): FieldChange {
  return { path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

function joined(path: string, name: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${path}["${name}"]`;
  return path === '' ? name : `${path}.${name}`;
}

function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
