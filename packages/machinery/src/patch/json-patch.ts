// Applying a JSON patch (RFC 6902) with the quirks of the library that upstream uses: `replace` of a missing key adds it,
// negative indexes count from the end, a path without a leading slash loses its first segment (spec/apiserver.md §7.2).
// Maps on the way to a change come out with sorted keys, as there; everything else is shared with the document.

import type { Json } from '../schema/schema.ts';
import { compareBytewise, goJson } from '../values/go-strings.ts';
import { atoi } from '../values/int-or-string.ts';
import { asList, asMap, setOwn } from '../values/json-shapes.ts';
import type { JsonPatchOperation } from './json-patch-operation.ts';
import { PatchError } from './patch-error.ts';

export interface JsonPatchOptions {
  /** Bytes that `copy` operations may add in total; default 3 MiB, as the API server's. */
  readonly copyBytesMax?: number;
}

/**
 * Applies the operations in order to a map or list; neither argument is changed.
 *
 * @throws PatchError inapplicable at the first operation that fails: nothing of the patch is applied then
 */
export function applyJsonPatch(
  document: Json,
  operations: readonly JsonPatchOperation[],
  options: JsonPatchOptions = {},
): Json {
  const patching = new Patching(document, options.copyBytesMax ?? 3 * 1024 * 1024);
  for (const operation of operations) patching.apply(operation);
  return patching.result();
}

/** A value as it stands in the document, or a container that was opened for changes. */
type Slot = Json | OpenMap | OpenList;

class OpenMap {
  readonly entries: Map<string, Slot>;

  constructor(map: { readonly [key: string]: Json }) {
    this.entries = new Map(Object.entries(map));
  }
}

class OpenList {
  readonly items: Slot[];

  constructor(list: readonly Json[]) {
    this.items = [...list];
  }
}

class Patching {
  #root: Slot;
  #copyBytesLeft: number;

  constructor(document: Json, copyBytesMax: number) {
    this.#root = open(document) ?? document;
    this.#copyBytesLeft = copyBytesMax;
  }

  result(): Json {
    return close(this.#root);
  }

  apply(operation: JsonPatchOperation): void {
    switch (operation.op) {
      case 'add':
        return this.#add(pathOf(operation), operation.value ?? null);
      case 'remove':
        return this.#remove(pathOf(operation));
      case 'replace':
        return this.#replace(pathOf(operation), operation.value);
      case 'move': {
        const from = fromOf(operation);
        const value = this.#get(from, `move operation does not apply: doc is missing from path: ${from}`);
        this.#remove(from);
        return this.#add(pathOf(operation), value ?? null);
      }
      case 'copy':
        return this.#copy(fromOf(operation), pathOf(operation));
      case 'test':
        return this.#test(pathOf(operation), operation.value ?? null);
      default:
        throw inapplicable(`Unexpected kind: ${typeof operation.op === 'string' ? operation.op : 'unknown'}`);
    }
  }

  #add(path: string, value: Slot): void {
    const { container, key } = this.#find(path, `add operation does not apply: doc is missing path: "${path}"`);
    if (container instanceof OpenMap) {
      container.entries.set(key, value);
      return;
    }
    const { items } = container;
    if (key === '-') {
      items.push(value);
      return;
    }
    items.splice(checkedIndex(key, items.length + 1, `error in add for path: '${path}'`), 0, value);
  }

  #remove(path: string): void {
    const { container, key } = this.#find(path, `remove operation does not apply: doc is missing path: "${path}"`);
    const failing = `error in remove for path: '${path}'`;
    if (container instanceof OpenMap) {
      if (!container.entries.delete(key))
        throw inapplicable(`${failing}: Unable to remove nonexistent key: ${key}: missing value`);
      return;
    }
    container.items.splice(checkedIndex(key, container.items.length, failing), 1);
  }

  #replace(path: string, value: Json | undefined): void {
    if (path === '') {
      const root = value === undefined ? undefined : open(value);
      if (root === undefined) throw inapplicable('replace operation value must be object or array');
      this.#root = root;
      return;
    }
    const { container, key } = this.#find(path, `replace operation does not apply: doc is missing path: ${path}`);
    if (container instanceof OpenMap) {
      container.entries.set(key, value ?? null);
      return;
    }
    const index = indexOf(key, container.items.length);
    if (index === undefined)
      throw inapplicable(`replace operation does not apply: doc is missing key: ${path}: missing value`);
    container.items[index] = value ?? null;
  }

  #copy(from: string, path: string): void {
    const failing = `copy operation does not apply: doc is missing from path: ${from}`;
    const value = close(this.#get(from, failing) ?? null);
    this.#copyBytesLeft -= goJson(value).length;
    if (this.#copyBytesLeft < 0) throw inapplicable('Unable to complete the copy, the accumulated size is too large');
    this.#add(path, value);
  }

  #test(path: string, wanted: Json): void {
    const failing = `test operation does not apply: is missing path: ${path}`;
    const found = path === '' ? this.#root : (this.#get(path, failing) ?? null);
    if (!isSame(found, wanted)) throw inapplicable(`testing value ${path} failed: test failed`);
  }

  /** The value at a path; undefined for a key that a map does not have. */
  #get(path: string, failing: string): Slot | undefined {
    const { container, key } = this.#find(path, failing);
    if (container instanceof OpenMap) return container.entries.get(key);
    return container.items[checkedIndex(key, container.items.length, failing)];
  }

  // Opens the containers on the way to the last segment. `failing` is upstream's text for a way that ends early.
  #find(path: string, failing: string): { readonly container: OpenMap | OpenList; readonly key: string } {
    const segments = path.split('/').slice(1).map(unescapeSegment);
    const key = segments.pop();
    let container = this.#root;
    if (key === undefined || !isOpen(container)) throw inapplicable(`${failing}: missing value`);
    for (const segment of segments) {
      const next: OpenMap | OpenList | undefined = openChild(container, segment);
      if (next === undefined) throw inapplicable(`${failing}: missing value`);
      container = next;
    }
    return { container, key };
  }
}

function isOpen(slot: Slot): slot is OpenMap | OpenList {
  return slot instanceof OpenMap || slot instanceof OpenList;
}

function open(value: Json): OpenMap | OpenList | undefined {
  const list = asList(value);
  if (list !== undefined) return new OpenList(list);
  const map = asMap(value);
  return map === undefined ? undefined : new OpenMap(map);
}

function openChild(container: OpenMap | OpenList, segment: string): OpenMap | OpenList | undefined {
  if (container instanceof OpenMap) {
    const slot = container.entries.get(segment);
    if (slot === undefined || isOpen(slot)) return slot;
    const opened = open(slot);
    if (opened !== undefined) container.entries.set(segment, opened);
    return opened;
  }
  const index = indexOf(segment, container.items.length);
  const slot = index === undefined ? undefined : container.items[index];
  if (index === undefined || slot === undefined || isOpen(slot)) return slot as OpenMap | OpenList | undefined;
  const opened = open(slot);
  if (opened !== undefined) container.items[index] = opened;
  return opened;
}

function close(slot: Slot): Json {
  if (slot instanceof OpenList) return slot.items.map(close);
  if (!(slot instanceof OpenMap)) return slot;
  const out: { [key: string]: Json } = {};
  for (const key of [...slot.entries.keys()].sort(compareBytewise))
    setOwn(out, key, close(slot.entries.get(key) ?? null));
  return out;
}

function isSame(slot: Slot, wanted: Json): boolean {
  const found = close(slot);
  if (found === wanted) return true;
  const foundList = asList(found);
  const wantedList = asList(wanted);
  if (foundList !== undefined && wantedList !== undefined) {
    return (
      foundList.length === wantedList.length &&
      foundList.every((item, index) => isSame(item, wantedList[index] ?? null))
    );
  }
  const foundMap = asMap(found);
  const wantedMap = asMap(wanted);
  if (foundMap === undefined || wantedMap === undefined)
    return typeof found !== 'object' && goJson(found) === goJson(wanted);
  const keys = Object.keys(foundMap);
  return (
    keys.length === Object.keys(wantedMap).length &&
    keys.every((key) => Object.hasOwn(wantedMap, key) && isSame(foundMap[key] ?? null, wantedMap[key] ?? null))
  );
}

/** Where an index text points in a list of this length; undefined when outside or no number. */
function indexOf(text: string, length: number): number | undefined {
  const index = atoi(text);
  if (index === undefined || index >= length || index < -length) return undefined;
  return index < 0 ? index + length : index;
}

function checkedIndex(text: string, length: number, failing: string): number {
  const index = indexOf(text, length);
  if (index === undefined) throw inapplicable(`${failing}: Unable to access invalid index: ${text}: invalid index`);
  return index;
}

function pathOf({ path }: JsonPatchOperation): string {
  if (typeof path !== 'string') throw inapplicable('operation missing path field');
  return path;
}

function fromOf({ from }: JsonPatchOperation): string {
  if (typeof from !== 'string') throw inapplicable('operation, missing from field');
  return from;
}

function unescapeSegment(text: string): string {
  return text.replaceAll(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~'));
}

function inapplicable(message: string): PatchError {
  return new PatchError('inapplicable', message);
}
