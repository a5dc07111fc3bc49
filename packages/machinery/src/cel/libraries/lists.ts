// Kubernetes' list library (isSorted, sum, min, max, indexOf, lastIndexOf) and the lists extension (slice, flatten,
// distinct, sort, sortBy, reverse, first, last, range).

import { compare, equals, memberText } from '../compare.ts';
import { type CallContext, type Implementation, type Overload, overloads, overloadsOf } from '../functions.ts';
import type { CelDuration, CelUint } from '../values.ts';
import { CelError, CelList, CelOptional, type CelValue, typeNameOf } from '../values.ts';
import { toDuration, toInt, toUint } from './operators.ts';

const comparable = ['int', 'uint', 'double', 'bool', 'string', 'bytes', 'timestamp', 'duration'];
const rangeMax = 1_000_000;

const listOf = (value: CelValue | undefined): CelList => value as CelList;

const isSorted: Implementation = ([list]) => {
  const items = [...listOf(list)];
  return items.every((item, index) => index === 0 || ordered(items[index - 1] as CelValue, item) <= 0);
};

const extreme = (name: string, sign: number): Implementation => {
  return ([list]) => {
    const items = [...listOf(list)];
    const [first] = items;
    if (first === undefined) throw new CelError(`${name} called on empty list`);
    return items.reduce((best, item) => (ordered(item, best) * sign > 0 ? item : best), first);
  };
};

const perType = (method: string, result: string, call: Implementation): Record<string, Implementation> =>
  Object.fromEntries(
    comparable.map((type) => [`list(${type}).${method}(): ${result === 'same' ? type : result}`, call]),
  );

export const lists: readonly Overload[] = [
  ...overloads({
    ...perType('isSorted', 'bool', isSorted),
    ...perType('min', 'same', extreme('min', -1)),
    ...perType('max', 'same', extreme('max', 1)),
    'list(int).sum(): int': ([list]) =>
      toInt([...listOf(list)].reduce<bigint>((sum, item) => toInt(sum + (item as bigint)), 0n)),
    'list(uint).sum(): uint': ([list]) =>
      toUint([...listOf(list)].reduce<bigint>((sum, item) => sum + (item as CelUint).value, 0n)),
    'list(double).sum(): double': ([list]) =>
      [...listOf(list)].reduce<number>((sum, item) => sum + (item as number), 0),
    'list(duration).sum(): duration': ([list]) =>
      toDuration([...listOf(list)].reduce<bigint>((sum, item) => sum + (item as CelDuration).nanos, 0n)),
    'list(A).indexOf(A): int': ([list, item]) =>
      BigInt([...listOf(list)].findIndex((other) => equals(other, item as CelValue))),
    'list(A).lastIndexOf(A): int': ([list, item]) =>
      BigInt([...listOf(list)].findLastIndex((other) => equals(other, item as CelValue))),
    'list(A).slice(int, int): list(A)': ([list, from, to]) => slice(listOf(list), from as bigint, to as bigint),
    'list(list(A)).flatten(): list(A)': ([list], context) => CelList.of(flatten(listOf(list), 1, context)),
    'list(dyn).flatten(int): list(dyn)': ([list, depth], context) =>
      CelList.of(flatten(listOf(list), depthOf(depth as bigint), context)),
    'list(A).distinct(): list(A)': ([list]) =>
      CelList.of([...new Map([...listOf(list)].map((item) => [memberText(item), item] as const)).values()]),
    'list(A).reverse(): list(A)': ([list]) => CelList.of([...listOf(list)].toReversed()),
    'list(A).first(): optional(A)': ([list]) => edge(listOf(list), 0),
    'list(A).last(): optional(A)': ([list]) => edge(listOf(list), listOf(list).size - 1),
  }),
  ...overloads(
    Object.fromEntries(
      comparable.map((type) => [
        `list(${type}).sort(): list(${type})`,
        ([list]): CelValue => CelList.of([...listOf(list)].toSorted(ordered)),
      ]),
    ),
  ),
  ...overloadsOf('lists.range', { '(int): list(int)': ([size]) => range(size as bigint) }),
  ...overloadsOf(
    'lists.@sortByAssociatedKeys',
    Object.fromEntries(
      comparable.map((type): [string, Implementation] => [
        `(list(A), list(${type})): list(A)`,
        ([list, keys]) => sortByKeys(listOf(list), listOf(keys)),
      ]),
    ),
  ),
];

function edge(list: CelList, index: number): CelOptional {
  return list.size === 0 ? CelOptional.none : new CelOptional(list.at(index));
}

function ordered(a: CelValue, b: CelValue): number {
  const found = compare(a, b);
  if (found === undefined) throw new CelError(`no such overload: ${typeNameOf(a)} and ${typeNameOf(b)} have no order`);
  return found;
}

function slice(list: CelList, from: bigint, to: bigint): CelList {
  if (from < 0n || to < 0n) throw new CelError(`cannot slice(${from}, ${to}), negative indexes not supported`);
  if (from > to)
    throw new CelError(`cannot slice(${from}, ${to}), start index must be less than or equal to end index`);
  if (to > BigInt(list.size)) throw new CelError(`cannot slice(${from}, ${to}), list is length ${list.size}`);
  const start = Number(from);
  return new CelList(Number(to) - start, (index) => list.at(start + index));
}

function depthOf(depth: bigint): number {
  if (depth < 0n) throw new CelError('level must be non-negative');
  return Number(depth);
}

function flatten(list: CelList, depth: number, context: CallContext): CelValue[] {
  context.charge(list.size);
  return [...list].flatMap((item) =>
    item instanceof CelList && depth > 0 ? flatten(item, depth - 1, context) : [item],
  );
}

function range(size: bigint): CelList {
  if (size > rangeMax) throw new CelError(`range of ${size} items is too long`);
  return new CelList(Math.max(0, Number(size)), (index) => BigInt(index));
}

function sortByKeys(list: CelList, keys: CelList): CelList {
  const pairs = Array.from(list, (item, index) => [keys.at(index), item] as const);
  return CelList.of(pairs.toSorted(([a], [b]) => ordered(a, b)).map(([, item]) => item));
}
