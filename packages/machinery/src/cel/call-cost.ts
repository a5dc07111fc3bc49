// What evaluation costs, in upstream's cost units: a unit is about one simple step; walking text costs a tenth a character.

import { CelList, type CelValue, isMap } from './values.ts';

/** Fixed costs of nodes. */
export const costs = { identifier: 1, select: 1, list: 10, map: 30, struct: 40 } as const;

export const perCharacter = 0.1;
export const perPatternCharacter = 0.25;
/** What the API server's authorizer takes for one question. */
export const authorizationCheckCost = 350_000;

type Cost = (args: readonly CelValue[]) => number;

const walk: Cost = ([text]) => 1 + characters(text) * perCharacter;
const walkBoth: Cost = ([a, b]) => 1 + Math.min(sizeOf(a), sizeOf(b)) * perCharacter;
const walkBothTexts: Cost = ([a, b]) =>
  1 + Math.ceil(characters(a) * perCharacter) * Math.ceil(characters(b) * perCharacter);
const match: Cost = ([text, pattern]) =>
  1 + Math.ceil((characters(text) + 1) * perCharacter) * Math.ceil(characters(pattern) * perPatternCharacter);
const items: Cost = ([list]) => 1 + sizeOf(list);
const pairs: Cost = ([a, b]) => 1 + sizeOf(a) * sizeOf(b);
const check: Cost = () => authorizationCheckCost;

const table = new Map<string, Cost>([
  ['_==_', walkBoth], ['_!=_', walkBoth], ['_<_', walkBoth], ['_<=_', walkBoth], ['_>_', walkBoth], ['_>=_', walkBoth],
  ['@in', ([, list]) => (list instanceof CelList ? 1 + list.size : 1)],
  ['_+_', ([a, b]) => (typeof a === 'string' || a instanceof Uint8Array ? 1 + (sizeOf(a) + sizeOf(b)) * perCharacter : a instanceof CelList ? 1 + a.size + sizeOf(b) : 1)],
  ['contains', walkBothTexts], ['matches', match], ['find', match], ['findAll', match],
  ['startsWith', ([, b]) => 1 + characters(b) * perCharacter], ['endsWith', ([, b]) => 1 + characters(b) * perCharacter],
  ['bytes', walk], ['string', walk], ['url', walk], ['isURL', walk], ['quantity', walk], ['isQuantity', walk], ['semver', walk], ['isSemver', walk],
  ['ip', walk], ['isIP', walk], ['cidr', walk], ['isCIDR', walk], ['charAt', walk], ['indexOf', textOrList(walkBothTexts)], ['lastIndexOf', textOrList(walkBothTexts)],
  ['lowerAscii', walk], ['upperAscii', walk], ['replace', walk], ['split', walk], ['substring', walk], ['trim', walk], ['reverse', textOrList(walk)],
  ['strings.quote', walk], ['format', walk], ['join', ([list]) => 1 + (list instanceof CelList ? list.size : 0)],
  ['isSorted', items], ['sum', items], ['min', items], ['max', items],
  ['sort', items],
  ['distinct', items],
  ['lists.@sortByAssociatedKeys', items],
  ['sets.contains', pairs], ['sets.intersects', pairs], ['sets.equivalent', pairs],
  ['cel.@mapInsert', ([map]) => 1 + sizeOf(map)],
  ['check', check], ['validate', walk],
]); // prettier-ignore

/** The cost of calling `name`; 1 if it does not depend on its arguments. */
export function callCost(name: string, args: readonly CelValue[]): number {
  const cost = table.get(name);
  return cost === undefined ? 1 : Math.ceil(cost(args));
}

function textOrList(text: Cost): Cost {
  return (args) => (args[0] instanceof CelList ? 1 + args[0].size : text(args));
}

function characters(value: CelValue | undefined): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 1;
}

/** Characters, items or entries; 1 for scalars. */
function sizeOf(value: CelValue | undefined): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length;
  if (value instanceof CelList || isMap(value)) return value.size;
  return 1;
}
