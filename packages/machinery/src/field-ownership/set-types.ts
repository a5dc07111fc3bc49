// Operations on sets that need the type: fields on the way count as owned for pruning, and sets recorded before a
// schema change are brought in line with it.

import { FieldSet, type FieldNode, leafNode } from './field-set.ts';
import type { FieldType } from './field-type.ts';

/** The set with every declared field that has something below it as a member too. */
export function withNamedFields(set: FieldSet, type: FieldType | undefined): FieldSet {
  const out = new FieldSet();
  for (const [element, node] of set.nodes()) {
    const declared = element.startsWith('f:') && type?.map?.field(element.slice(2)) !== undefined;
    const children = node.children === undefined ? undefined : withNamedFields(node.children, typeBelow(type, element));
    out.put(element, node.member || (declared && children !== undefined), children);
  }
  return out;
}

function typeBelow(type: FieldType | undefined, element: string): FieldType | undefined {
  if (element.startsWith('f:')) return type?.map?.typeOf(element.slice(2));
  return element.startsWith('k:') ? type?.list?.items : undefined;
}

/** Sets known to be in line with a type, so that the next write need not look again. */
const reconciled = new WeakMap<FieldSet, FieldType>();

/**
 * Brings a set in line with a type: where the type is atomic now, the whole is owned instead of its parts.
 * Returns the same set when nothing is to be done.
 */
export function reconcileWithType(set: FieldSet, type: FieldType): FieldSet {
  if (reconciled.get(set) === type) return set;
  const out = reconcileBelow(set, type);
  reconciled.set(out, type);
  return out;
}

function reconcileBelow(set: FieldSet, type: FieldType): FieldSet {
  let out: FieldSet | undefined;
  for (const [element, node] of set.nodes()) {
    const below = childType(type, element);
    const kept = below === undefined ? node : reconcileNode(node, below);
    if (kept === node) continue;
    out ??= new FieldSet(new Map(set.nodes()));
    out.putNode(element, kept);
  }
  return out ?? set;
}

function reconcileNode(node: FieldNode, type: FieldType): FieldNode {
  const { children } = node;
  if (children === undefined) return node;
  const atom = type.map ?? (type.scalar === undefined ? type.list : undefined);
  if (atom === undefined || type.map?.isDeduced === true) return node;
  if (atom.atomic) return leafNode;
  const kept = reconcileBelow(children, type);
  return kept === children ? node : { member: node.member, children: kept };
}

function childType(type: FieldType, element: string): FieldType | undefined {
  if (type.map !== undefined) return type.map.typeOf(element.startsWith('f:') ? element.slice(2) : '');
  return type.scalar === undefined ? type.list?.items : undefined;
}
