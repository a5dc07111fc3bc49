// A set of field paths, kept as a tree: what a manager owns, or what a write touched.
// Operations return new sets, share unchanged subtrees and return `this` when nothing changes, so identity
// tells that an entry needs no new encoding. Only `insert` and `put` change a set: they are for the one building it.
// No node is ever empty: it is a member, or it has children with members.

import type { Json } from '../schema/schema.ts';
import { canonicalElement, compareElements } from './path-element.ts';

/** Whether the path that ends here is in the set, and what lies below it. */
export interface FieldNode {
  readonly member: boolean;
  readonly children: FieldSet | undefined;
}

export const leafNode: FieldNode = { member: true, children: undefined };

/** The JSON form of a set: nested objects, `.` for "the path that ends here" when there are children too. */
export interface FieldsV1 {
  readonly [element: string]: FieldsV1;
}

// All leaves share it: encoded sets are read only.
const emptyFields: FieldsV1 = {};

export class FieldSet {
  readonly #nodes: Map<string, FieldNode>;

  constructor(nodes = new Map<string, FieldNode>()) {
    this.#nodes = nodes;
  }

  /**
   * Reads the JSON form and says whether it was the canonical one. Unknown kinds of elements are skipped.
   *
   * @throws SyntaxError for malformed elements
   */
  static fromFieldsV1(fields: { readonly [element: string]: Json }): { set: FieldSet; canonical: boolean } {
    const reader = new Reader();
    const set = reader.read(fields) ?? new FieldSet();
    return { set, canonical: reader.canonical };
  }

  get isEmpty(): boolean {
    return this.#nodes.size === 0;
  }

  /** The first steps of the paths, unordered. */
  nodes(): ReadonlyMap<string, FieldNode> {
    return this.#nodes;
  }

  get(element: string): FieldNode | undefined {
    return this.#nodes.get(element);
  }

  has(path: readonly string[]): boolean {
    let nodes: Map<string, FieldNode> | undefined = this.#nodes;
    let node: FieldNode | undefined;
    for (const element of path) {
      node = nodes?.get(element);
      if (node === undefined) return false;
      nodes = node.children === undefined ? undefined : node.children.#nodes;
    }
    return node?.member ?? false;
  }

  /** Adds a path. Builder only. */
  insert(path: readonly string[]): void {
    const [head, ...rest] = path;
    if (head === undefined) return;
    const old = this.#nodes.get(head);
    if (rest.length === 0) {
      this.#nodes.set(head, { member: true, children: old?.children });
      return;
    }
    const children = old?.children ?? new FieldSet();
    children.insert(rest);
    this.#nodes.set(head, { member: old?.member ?? false, children });
  }

  /** Puts a whole node in place of what is there; an empty one is left out. Builder only. */
  put(element: string, member: boolean, children: FieldSet | undefined): void {
    const kept = children === undefined || children.isEmpty ? undefined : children;
    if (!member && kept === undefined) return;
    this.#nodes.set(element, kept === undefined ? leafNode : { member, children: kept });
  }

  /** Puts a node that is known not to be empty. Builder only. */
  putNode(element: string, node: FieldNode): void {
    this.#nodes.set(element, node);
  }

  /** Paths in either set. */
  union(other: FieldSet): FieldSet {
    if (other.isEmpty || other === this) return this;
    if (this.isEmpty) return other;
    let out: Map<string, FieldNode> | undefined;
    for (const [key, theirs] of other.#nodes) {
      const ours = this.#nodes.get(key);
      const merged = ours === undefined ? theirs : unionNodes(ours, theirs);
      if (merged !== ours) (out ??= new Map(this.#nodes)).set(key, merged);
    }
    return out === undefined ? this : new FieldSet(out);
  }

  /** Paths in both sets. */
  intersection(other: FieldSet): FieldSet {
    const out = new FieldSet();
    for (const [key, ours] of this.#nodes) {
      const theirs = other.#nodes.get(key);
      if (theirs === undefined) continue;
      const children =
        ours.children === undefined || theirs.children === undefined
          ? undefined
          : ours.children.intersection(theirs.children);
      out.put(key, ours.member && theirs.member, children);
    }
    return out;
  }

  /** Paths not in the other set; a path below one of its members stays. */
  difference(other: FieldSet): FieldSet {
    return this.#without(other, false);
  }

  /** Paths neither in the other set nor below one of its members. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#without(other, true);
  }

  #without(other: FieldSet, recursive: boolean): FieldSet {
    if (other.isEmpty || this.isEmpty) return this;
    let out: Map<string, FieldNode> | undefined;
    // Walk the smaller side: most differences take a few paths from a large set.
    const smaller = other.#nodes.size < this.#nodes.size ? other : this;
    for (const key of smaller.#nodes.keys()) {
      const ours = this.#nodes.get(key);
      const theirs = other.#nodes.get(key);
      if (ours === undefined || theirs === undefined) continue;
      const left = withoutNode(ours, theirs, recursive);
      if (left === ours) continue;
      out ??= new Map(this.#nodes);
      if (left === undefined) out.delete(key);
      else out.set(key, left);
    }
    return out === undefined ? this : new FieldSet(out);
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.#nodes.size !== other.#nodes.size) return false;
    for (const [key, ours] of this.#nodes) {
      const theirs = other.#nodes.get(key);
      if (theirs === undefined || theirs.member !== ours.member) return false;
      if (ours.children === undefined || theirs.children === undefined) {
        if (ours.children !== theirs.children) return false;
      } else if (!ours.children.equals(theirs.children)) return false;
    }
    return true;
  }

  /** All paths in upstream's order: at each level first the members, then what is below the nodes. */
  *paths(): Generator<readonly string[]> {
    const keys = this.#sortedKeys();
    for (const key of keys) if (this.#nodes.get(key)?.member === true) yield [key];
    for (const key of keys) {
      const children = this.#nodes.get(key)?.children;
      if (children !== undefined) for (const path of children.paths()) yield [key, ...path];
    }
  }

  /** A number that equal sets share, whatever order they were built in. Different sets may share it too. */
  hash(): number {
    let sum = this.#nodes.size;
    for (const [key, { member, children }] of this.#nodes) {
      const below = children === undefined ? 1 : Math.imul(children.hash(), 31);
      sum = (sum + Math.imul(hashOfKey(key), member ? below : below + 1)) | 0;
    }
    return sum;
  }

  /** The JSON form with its keys in canonical order. */
  toFieldsV1(): FieldsV1 {
    return this.#encode(false);
  }

  #encode(withSelf: boolean): FieldsV1 {
    const out: Record<string, FieldsV1> = {};
    if (withSelf) out['.'] = emptyFields;
    for (const key of this.#sortedKeys()) {
      const node = this.#nodes.get(key);
      if (node === undefined) continue;
      out[key] = node.children === undefined ? emptyFields : node.children.#encode(node.member);
    }
    return out;
  }

  #sortedKeys(): string[] {
    return [...this.#nodes.keys()].sort(compareElements);
  }
}

// A few characters tell most keys apart: who looks a set up by its hash compares it anyway.
function hashOfKey(key: string): number {
  const { length } = key;
  const ends = (key.charCodeAt(length - 1) << 8) ^ key.charCodeAt(length - 2);
  return (
    Math.imul(length, 0x9e3779b1) ^ Math.imul(key.charCodeAt(length >> 1), 0x85ebca6b) ^ Math.imul(ends, 0xc2b2ae35)
  );
}

function unionNodes(a: FieldNode, b: FieldNode): FieldNode {
  if (b.children === undefined) return a.member || !b.member ? a : { member: true, children: a.children };
  const children = a.children === undefined ? b.children : a.children.union(b.children);
  const member = a.member || b.member;
  if (children === a.children && member === a.member) return a;
  return { member, children };
}

function withoutNode(ours: FieldNode, theirs: FieldNode, recursive: boolean): FieldNode | undefined {
  if (recursive && theirs.member) return undefined;
  const member = ours.member && !theirs.member;
  let children = ours.children;
  if (children !== undefined && theirs.children !== undefined) {
    children = recursive ? children.recursiveDifference(theirs.children) : children.difference(theirs.children);
    if (children.isEmpty) children = undefined;
  }
  if (member === ours.member && children === ours.children) return ours;
  if (!member && children === undefined) return undefined;
  return children === undefined ? leafNode : { member, children };
}

class Reader {
  canonical = true;

  read(fields: { readonly [element: string]: Json }): FieldSet | undefined {
    let out: FieldSet | undefined;
    let last: string | undefined;
    for (const key of Object.keys(fields)) {
      if (key === '.') {
        if (last !== undefined) this.canonical = false;
        continue;
      }
      const element = canonicalElement(key);
      if (element === undefined) {
        this.canonical = false;
        continue;
      }
      if (element !== key || (last !== undefined && compareElements(last, element) >= 0)) this.canonical = false;
      last = element;
      out ??= new FieldSet();
      this.#readNode(out, element, fields[key] ?? null);
    }
    return out;
  }

  #readNode(out: FieldSet, element: string, below: Json): void {
    if (typeof below !== 'object' || below === null || Array.isArray(below)) {
      this.canonical = false;
      out.putNode(element, leafNode);
      return;
    }
    const children = this.read(below as { readonly [element: string]: Json });
    const hasSelf = Object.hasOwn(below, '.');
    if (children === undefined) {
      if (hasSelf) this.canonical = false;
      out.putNode(element, leafNode);
    } else {
      out.putNode(element, { member: hasSelf, children });
    }
  }
}
