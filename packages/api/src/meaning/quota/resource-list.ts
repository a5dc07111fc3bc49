// Arithmetic on resource lists, name by name, as quotas need it.

import {
  addQuantities,
  compareBytewise,
  compareQuantity,
  parseQuantity,
  subtractQuantities,
} from '@homeostat/machinery';
import type { ResourceList } from '../pod-resources.ts';

export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  const sum: Record<string, string> = { ...a };
  for (const [name, quantity] of Object.entries(b)) {
    const known = sum[name];
    sum[name] = known === undefined ? quantity : addQuantities(known, quantity).toString();
  }
  return sum;
}

/** `a - b`, but never below zero. */
export function subtractLists(a: ResourceList, b: ResourceList): ResourceList {
  const rest: Record<string, string> = Object.fromEntries(Object.keys(b).map((name) => [name, '0']));
  for (const [name, quantity] of Object.entries(a)) {
    const left = subtractQuantities(quantity, b[name] ?? '0');
    rest[name] = left.sign > 0 ? left.toString() : '0';
  }
  return rest;
}

export function maskList(list: ResourceList, names: Iterable<string>): ResourceList {
  const wanted = new Set(names);
  return Object.fromEntries(Object.entries(list).filter(([name]) => wanted.has(name)));
}

export function withoutZeros(list: ResourceList): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([, quantity]) => !parseQuantity(quantity).isZero));
}

export function equalLists(a: ResourceList, b: ResourceList): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => b[name] !== undefined && compareQuantity(a[name] ?? '0', b[name]) === 0)
  );
}

/** Names in `list` whose quantity is larger than the one in `most`, in byte order. */
export function exceededNames(list: ResourceList, most: ResourceList): readonly string[] {
  return Object.keys(list)
    .filter((name) => most[name] !== undefined && compareQuantity(list[name] ?? '0', most[name]) > 0)
    .sort(compareBytewise);
}
