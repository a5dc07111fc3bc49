// Which fields an endpoint lets its writers own: everything but some (main and status endpoints), or nothing but
// some (`ephemeralcontainers`, `resize`). Patterns are field names joined by dots; `*` stands for any list item or field.

import { FieldSet } from './field-set.ts';

/** Keeps the part of a set that an endpoint tracks. */
export interface FieldFilter {
  filter(set: FieldSet): FieldSet;
}

/** Drops the given fields with all below them: `excludeFields('status', 'metadata.ownerReferences')`. */
export function excludeFields(...paths: readonly string[]): FieldFilter {
  const excluded = new FieldSet();
  for (const path of paths) excluded.insert(path.split('.').map((name) => `f:${name}`));
  return { filter: (set) => set.recursiveDifference(excluded) };
}

/** Keeps only the given fields with all below them: `includeFields('spec.containers.*.resources')`. */
export function includeFields(...patterns: readonly string[]): FieldFilter {
  const root = new Matcher();
  for (const pattern of patterns) root.add(pattern.split('.'));
  return { filter: (set) => keepMatches(set, root) };
}

class Matcher {
  all = false;
  readonly children = new Map<string, Matcher>();

  add(path: readonly string[]): void {
    const [head, ...rest] = path;
    if (head === undefined) {
      this.all = true;
      return;
    }
    const key = head === '*' ? '*' : `f:${head}`;
    let child = this.children.get(key);
    if (child === undefined) {
      child = new Matcher();
      this.children.set(key, child);
    }
    child.add(rest);
  }
}

function keepMatches(set: FieldSet, matcher: Matcher): FieldSet {
  if (matcher.all) return set;
  const out = new FieldSet();
  for (const [key, node] of set.nodes()) {
    // As upstream matches in sorted order, the wildcard wins over a named element.
    const child = matcher.children.get('*') ?? matcher.children.get(key);
    if (child === undefined) continue;
    out.put(key, node.member, node.children === undefined ? undefined : keepMatches(node.children, child));
  }
  return out;
}
