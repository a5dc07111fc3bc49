// What calling a function can cost, and how large its result can be: cel-go's functions, its extensions of lists and sets, and
// Kubernetes' own (`k8s.io/apiserver/pkg/cel/library/cost.go`). Costs are those of the call alone, without its arguments.

import type { Expr } from './ast.ts';
import { authorizationCheckCost, costs, perCharacter, perPatternCharacter } from './call-cost.ts';
import { add, costMax, fixed, multiply, nothing, one, type Range, times, unknownSize } from './cost-range.ts';
import { type EntrySizes, type Sizes, unionOfEntries } from './estimate-sizes.ts';
import type { Overload } from './functions.ts';
import type { CelType } from './types.ts';
import { sameType } from './unify.ts';

export interface CallEstimate {
  readonly cost: Range;
  /** Of the result; absent: not bounded by the call. */
  readonly size?: Range;
  readonly entries?: EntrySizes | undefined;
}

export interface CallSite {
  readonly name: string;
  /** One of those the call may mean. */
  readonly overload: Overload;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
  readonly sizes: Sizes;
}

/** Bytes of the longest pattern of a named format. */
const formatPatternMax = 128;
const formatNameMax = 64;
const unit: CallEstimate = { cost: one };

export function estimateCall(site: CallSite): CallEstimate {
  return functions.get(site.name)?.(site) ?? unit;
}

type Estimate = (site: CallSite) => CallEstimate;

const operands = ({ target, args }: CallSite): readonly Expr[] => (target === undefined ? args : [target, ...args]);
const sizeOf = (site: CallSite, index: number): Range => {
  const operand = operands(site)[index];
  return operand === undefined ? unknownSize : site.sizes.sizeOf(operand);
};
const firstKind = ({ overload }: CallSite): string => overload.args[0]?.kind ?? 'dyn';

/** Reads one operand once, or `factor` times. */
const reading =
  (index: number, factor = 1): Estimate =>
  (site) => ({ cost: times(sizeOf(site, index), factor * perCharacter) });
const readingTarget: Estimate = (site) => ({ ...reading(0)(site), size: sizeOf(site, 0) });

const matching: Estimate = (site) => {
  const text = times(add(sizeOf(site, 0), one), perCharacter);
  return { cost: multiply(text, times(sizeOf(site, 1), perPatternCharacter)) };
};
const finding: Estimate = (site) => ({ ...matching(site), size: { min: 0, max: sizeOf(site, 0).max } });

const comparing: Estimate = (site) => {
  const max = Math.min(sizeOf(site, 0).max, sizeOf(site, 1).max);
  return { cost: times({ min: max > 0 ? 1 : 0, max }, perCharacter) };
};
const ordering: Estimate = (site) => {
  const kind = firstKind(site);
  return kind === 'string' || kind === 'bytes' ? comparing(site) : unit;
};

/** Values of these types are told apart in one step. */
const quickTypes: ReadonlySet<string> = new Set([
  'net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver', 'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck', 'kubernetes.authorization.GroupCheck', 'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
]); // prettier-ignore

const equality: Estimate = (site) => {
  const [left, right] = site.args.map((arg) => site.sizes.typeOf(arg));
  if (left?.kind !== 'opaque' || right === undefined || !sameType(left, right)) return comparing(site);
  if (quickTypes.has(left.name)) return unit;
  if (left.name === 'kubernetes.NamedFormat') return { cost: times({ min: 1, max: formatNameMax }, perCharacter) };
  if (left.name !== 'kubernetes.URL') return comparing(site);
  const size = site.sizes.knownSizeOf(site.args[1] as Expr);
  return { cost: times({ min: 1, max: size?.max ?? 1 }, perCharacter) };
};

const addition: Estimate = (site) => {
  const kind = firstKind(site);
  if (kind !== 'string' && kind !== 'bytes' && kind !== 'list') return unit;
  const size = add(sizeOf(site, 0), sizeOf(site, 1));
  const [left, right] = site.args.map((arg) => site.sizes.entriesOf(arg));
  return { cost: kind === 'list' ? one : times(size, perCharacter), size, entries: unionOfEntries(left, right) };
};

/** Over the items of a list, the texts among them being read; or over a text. */
const walking: Estimate = (site) => {
  const { target, sizes } = site;
  if (target === undefined) return unit;
  const item = itemOf(site);
  if (item === undefined) return reading(0)(site);
  const isText = item.type.kind === 'string' || item.type.kind === 'bytes';
  const each = isText ? add(one, times(item.size, perCharacter)) : one;
  return { cost: multiply(sizes.sizeOf(target), each) };
};

interface Item {
  readonly type: CelType;
  readonly size: Range;
}

/** What the target is a list of; undefined when it is none. */
function itemOf({ target, sizes }: CallSite): Item | undefined {
  const type = target === undefined ? undefined : sizes.typeOf(target);
  if (target === undefined || type === undefined) return undefined;
  const element = type.kind === 'list' ? type.element : type.kind === 'map' ? type.key : undefined;
  if (element === undefined) return undefined;
  const path = sizes.pathOf(target);
  const isOwn = path.length === 0 || path[0]?.startsWith('@') === true;
  return { type: element, size: (isOwn ? undefined : sizes.declaredSize([...path, '@items'])) ?? unknownSize };
}

const replacing: Estimate = (site) => {
  const text = sizeOf(site, 0);
  const old = sizeOf(site, 1);
  const by = sizeOf(site, 2);
  const longest =
    old.min === 0
      ? { count: text.max + 1, kept: text.max }
      : by.max <= old.min
        ? { count: 0, kept: text.max }
        : { count: Math.ceil(text.max / old.min), kept: 0 };
  const shortest =
    old.max === 0
      ? { count: text.min + 1, kept: text.min }
      : old.max <= by.min
        ? { count: 0, kept: text.min }
        : { count: Math.ceil(text.min / old.max), kept: 0 };
  const count = { min: shortest.count, max: longest.count };
  const size = add(multiply(count, by), { min: shortest.kept, max: longest.kept });
  return { cost: times(text, 2 * perCharacter), size };
};

const splitting: Estimate = (site) => {
  const limit = intOf(site.args[1]);
  const most = limit === undefined ? sizeOf(site, 0).max : limit < 0 ? costMax : limit;
  return { cost: times(sizeOf(site, 0), 2 * perCharacter), size: { min: 0, max: most } };
};

const joining: Estimate = (site) => {
  const list = sizeOf(site, 0);
  const item = itemOf(site);
  let size = item === undefined ? nothing : multiply(list, item.size);
  if (site.args.length > 0) {
    const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
    size = add(size, multiply(sizeOf(site, 1), gaps));
  }
  return { cost: times(size, perCharacter), size };
};

const toBytes: Estimate = (site) => {
  if (firstKind(site) !== 'string') return unit;
  const size = sizeOf(site, 0);
  return { cost: times(size, perCharacter), size: { min: size.min, max: Math.min(costMax, size.max * 4) } };
};
const toText: Estimate = (site) => {
  if (firstKind(site) !== 'bytes') return unit;
  const size = sizeOf(site, 0);
  return { cost: times(size, perCharacter), size: { min: Math.floor(size.min / 4), max: size.max } };
};
const quoting: Estimate = (site) => ({
  cost: times(sizeOf(site, 0), perCharacter),
  size: add(multiply(sizeOf(site, 0), { min: 1, max: 2 }), fixed(2)),
});

/** An address or a range has 4 or 16 bytes. */
const addressBytes: Range = { min: 4, max: 16 };
const addressCost = times(add(addressBytes, addressBytes), perCharacter);
const rangeCost = add(add(addressCost, times(addressBytes, perCharacter)), one);
const within =
  (own: Range): Estimate =>
  (site) => {
    const isText = site.overload.args[1]?.kind === 'string';
    return { cost: isText ? add(own, times(sizeOf(site, 1), perCharacter)) : own };
  };

/** Makes a list of a size. */
const making = (size: Range, factor = 1): CallEstimate => ({
  cost: add(times(size, factor), fixed(1 + costs.list)),
  size,
});
const sorting =
  (index: number): Estimate =>
  (site) => {
    const list = sizeOf(site, index);
    const { overload } = site;
    const of = overload.args[index];
    const kind = of?.kind === 'list' ? of.element.kind : 'dyn';
    return making(multiply(list, list), kind === 'string' || kind === 'bytes' ? 2 + perCharacter : 2);
  };
const sets =
  (factor: number): Estimate =>
  (site) => ({
    cost: add(times(multiply(sizeOf(site, 0), sizeOf(site, 1)), factor), one),
  });

/** The value of an int literal. */
function intOf(expr: Expr | undefined): number | undefined {
  return expr?.kind === 'literal' && expr.literal.type === 'int' ? Number(expr.literal.value) : undefined;
}

function naturalOf(expr: Expr | undefined, otherwise: number): number {
  return Math.max(0, intOf(expr) ?? otherwise);
}

/** Of what a selector becomes: a list of requirements, one for at least two characters. */
const selecting: Estimate = (site) => {
  const length = sizeOf(site, 1);
  const requirements = times(times(length, 0.5), costs.list + costs.struct);
  return { cost: add(add(fixed(costs.list), times(length, perCharacter)), requirements) };
};

const functions: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['_==_', equality],
  ['_!=_', comparing],
  ...['_<_', '_<=_', '_>_', '_>=_'].map((name): [string, Estimate] => [name, ordering]),
  ['_+_', addition],
  ['@in', (site) => (site.overload.args[1]?.kind === 'list' ? { cost: sizeOf(site, 1) } : unit)],
  [
    'contains',
    (site) => ({ cost: multiply(times(sizeOf(site, 0), perCharacter), times(sizeOf(site, 1), perCharacter)) }),
  ],
  ['matches', (site) => (site.target === undefined ? unit : matching(site))],
  ['find', finding],
  ['findAll', finding],
  ['startsWith', reading(1)],
  ['endsWith', reading(1)],
  ['bytes', toBytes],
  ['string', toText],
  ['strings.quote', quoting],
  ['format', reading(0)],
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name): [string, Estimate] => [name, walking]),
  ...['lowerAscii', 'upperAscii', 'substring', 'trim', 'url', 'jsonpatch.escapeKey'].map((name): [string, Estimate] => [
    name,
    readingTarget,
  ]),
  ['replace', replacing],
  ['split', splitting],
  ['join', joining],
  ...['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'].map((name): [string, Estimate] => [
    name,
    reading(0),
  ]),
  ['ip', (site) => (site.target === undefined ? reading(0)(site) : unit)],
  ['ip.isCanonical', reading(0, 2)],
  ['containsIP', within(addressCost)],
  ['containsCIDR', within(rangeCost)],
  [
    'validate',
    (site) => ({ cost: times(times(sizeOf(site, 1), perCharacter), formatPatternMax * perPatternCharacter) }),
  ],
  ['sets.contains', sets(1)],
  ['sets.intersects', sets(1)],
  ['sets.equivalent', sets(2)],
  [
    'slice',
    (site) => {
      const [from, to] = site.args;
      const length = naturalOf(to, sizeOf(site, 0).max) - naturalOf(from, 0);
      // Upstream's difference wraps around where it is negative.
      return making(fixed(length < 0 ? costMax : length));
    },
  ],
  ['flatten', (site) => making(sizeOf(site, 0), site.args.length === 0 ? 1 : naturalOf(site.args[0], costMax))],
  ['lists.range', (site) => making(fixed(naturalOf(site.args[0], costMax)))],
  ['reverse', (site) => making(sizeOf(site, 0))],
  ['distinct', (site) => making(multiply(sizeOf(site, 0), sizeOf(site, 0)), 2)],
  ['sort', sorting(0)],
  ['lists.@sortByAssociatedKeys', sorting(1)],
  ['check', () => ({ cost: fixed(authorizationCheckCost) })],
  ['fieldSelector', selecting],
  ['labelSelector', selecting],
]);
