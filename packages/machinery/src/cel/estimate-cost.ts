// Estimates what an expression can cost at most, before it runs, from the sizes its types declare: cel-go's estimator
// (`checker/cost.go`) with Kubernetes' functions. Sizes are bytes, items or entries; costs are the units of call-cost.ts.

import type { CallExpr, ComprehensionExpr, Expr } from './ast.ts';
import { authorizationCheckCost, costs, perCharacter, perPatternCharacter } from './call-cost.ts';
import type { CheckedExpr } from './checker.ts';
import type { CelType } from './types.ts';

/** Upstream counts in unsigned 64 bits and stays at their maximum. */
export const costMax = 2 ** 64;

/** At least and at most. */
interface Range {
  readonly min: number;
  readonly max: number;
}

const fixed = (value: number): Range => ({ min: value, max: value });
const unknownSize: Range = { min: 0, max: costMax };
const clamp = (value: number): number => Math.min(value, costMax);
const add = (a: Range, b: Range): Range => ({ min: clamp(a.min + b.min), max: clamp(a.max + b.max) });
const multiply = (a: Range, b: Range): Range => ({ min: clamp(a.min * b.min), max: clamp(a.max * b.max) });
const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
const times = (a: Range, factor: number): Range => ({
  min: clamp(Math.ceil(a.min * factor)),
  max: clamp(Math.ceil(a.max * factor)),
});

/** The greatest cost of one evaluation. */
export function estimateCost(checked: CheckedExpr): number {
  return new Estimator(checked).cost(checked.expr).max;
}

class Estimator {
  readonly #checked: CheckedExpr;
  /** Sizes of results that the functions determine. */
  readonly #sizes = new Map<Expr, Range>();
  /** What the fold variables stand for: the declared type of an item, where there is one. */
  readonly #variables: (readonly [name: string, type: CelType | undefined])[] = [];

  constructor(checked: CheckedExpr) {
    this.#checked = checked;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return fixed(0);
      case 'ident':
        return fixed(costs.identifier);
      case 'select':
        return this.#checked.qualified.has(expr)
          ? fixed(costs.identifier)
          : add(this.cost(expr.operand), fixed(costs.select));
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#sum(expr.elements, costs.list);
      case 'map':
        return this.#sum(
          expr.entries.flatMap(({ key, value }) => [key, value]),
          costs.map,
        );
      case 'struct':
        return this.#sum(
          expr.fields.map(({ value }) => value),
          costs.struct,
        );
      case 'comprehension':
        return this.#fold(expr);
    }
  }

  #sum(exprs: readonly Expr[], own: number): Range {
    return exprs.map((expr) => this.cost(expr)).reduce(add, fixed(own));
  }

  #fold(expr: ComprehensionExpr): Range {
    const start = add(this.cost(expr.range), this.cost(expr.init));
    const range = this.#declared(expr.range);
    const before = this.#variables.length;
    this.#variables.push([expr.accumulator, undefined], [expr.variable, itemType(range, expr.variable2 !== undefined)]);
    if (expr.variable2 !== undefined) this.#variables.push([expr.variable2, valueType(range)]);
    const step = add(this.cost(expr.condition), this.cost(expr.step));
    this.#variables.length = before + 1;
    const result = this.cost(expr.result);
    this.#variables.length = before;
    const count = this.#size(expr.range);
    this.#sizes.set(expr, count);
    return add(add(start, result), multiply(count, step));
  }

  #call(expr: CallExpr): Range {
    const name = this.#checked.qualified.get(expr) ?? expr.name;
    const target = expr.target === undefined || name !== expr.name ? undefined : expr.target;
    const args = expr.args.map((arg) => this.cost(arg));
    const [first = fixed(0), second = fixed(0), third = fixed(0)] = args;
    if (name === '_&&_' || name === '_||_') return { min: first.min, max: add(first, second).max };
    if (name === '_?_:_') {
      const [, then, otherwise] = expr.args as [Expr, Expr, Expr];
      this.#sizes.set(expr, union(this.#size(then), this.#size(otherwise)));
      return add(first, union(second, third));
    }
    const all = target === undefined ? args : [this.cost(target), ...args];
    const operands = target === undefined ? expr.args : [target, ...expr.args];
    return add(all.reduce(add, fixed(0)), this.#own(expr, name, operands));
  }

  /** The cost of the function itself; notes the size of its result where that is known. */
  #own(expr: CallExpr, name: string, operands: readonly Expr[]): Range {
    const sizes = operands.map((operand) => this.#size(operand));
    const [first = fixed(1), second = fixed(1)] = sizes;
    const firstType = operands[0] === undefined ? undefined : this.#checked.types.get(operands[0])?.kind;
    switch (name) {
      case '_==_':
      case '_!=_':
      case '_<_':
      case '_<=_':
      case '_>_':
      case '_>=_': {
        const least = Math.min(first.max, second.max);
        return times({ min: least > 0 ? 1 : 0, max: least }, perCharacter);
      }
      case '_+_':
        if (firstType !== 'string' && firstType !== 'bytes' && firstType !== 'list') return fixed(1);
        this.#sizes.set(expr, add(first, second));
        return firstType === 'list' ? fixed(1) : times(add(first, second), perCharacter);
      case '@in':
        return this.#checked.types.get(operands[1] as Expr)?.kind === 'map' ? fixed(1) : second;
      case 'contains':
        return multiply(times(first, perCharacter), times(second, perCharacter));
      case 'matches':
        return multiply(times(add(first, fixed(1)), perCharacter), times(second, perPatternCharacter));
      case 'find':
      case 'findAll': {
        const cost = multiply(times(add(first, fixed(1)), perCharacter), times(second, perPatternCharacter));
        this.#sizes.set(expr, { min: 0, max: first.max });
        return cost;
      }
      case 'startsWith':
      case 'endsWith':
        return times(second, perCharacter);
      case 'string':
      case 'bytes':
        if (firstType !== 'string' && firstType !== 'bytes') return fixed(1);
        this.#sizes.set(expr, { min: Math.floor(first.min / 4), max: clamp(first.max * 4) });
        return times(first, perCharacter);
      case 'sum':
      case 'min':
      case 'max':
      case 'isSorted':
        return first;
      case 'indexOf':
      case 'lastIndexOf':
        return firstType === 'list' ? first : multiply(times(first, perCharacter), times(second, perCharacter));
      case 'lowerAscii':
      case 'upperAscii':
      case 'trim':
      case 'reverse':
      case 'substring':
        this.#sizes.set(expr, name === 'substring' || name === 'trim' ? { min: 0, max: first.max } : first);
        return times(first, perCharacter);
      case 'replace':
        this.#sizes.set(expr, { min: 0, max: clamp(first.max * Math.max(1, (sizes[2] ?? fixed(1)).max)) });
        return times(first, perCharacter);
      case 'split':
        this.#sizes.set(expr, { min: 0, max: first.max });
        return times(first, perCharacter);
      case 'join': {
        const item = this.#checked.types.get(operands[0] as Expr);
        const itemSize = item?.kind === 'list' ? (item.element as { sizeMax?: number }).sizeMax : undefined;
        const size = multiply(first, { min: 0, max: itemSize ?? costMax });
        this.#sizes.set(expr, size);
        return times(add(size, multiply(first, second)), perCharacter);
      }
      case 'url':
      case 'isURL':
      case 'quantity':
      case 'isQuantity':
      case 'ip':
      case 'isIP':
      case 'cidr':
      case 'isCIDR':
      case 'semver':
      case 'isSemver':
      case 'strings.quote':
      case 'format':
        return times(first, perCharacter);
      case 'validate':
      case 'containsIP':
      case 'containsCIDR':
        return times(second, perCharacter);
      case 'sets.contains':
      case 'sets.intersects':
        return multiply(first, second);
      case 'sets.equivalent':
        return multiply(multiply(first, second), fixed(2));
      case 'check':
        return fixed(authorizationCheckCost);
      default:
        return fixed(1);
    }
  }

  #size(expr: Expr): Range {
    const known = this.#sizes.get(expr);
    if (known !== undefined) return known;
    switch (expr.kind) {
      case 'literal': {
        const { literal } = expr;
        return literal.type === 'string' || literal.type === 'bytes' ? fixed(literal.value.length) : fixed(1);
      }
      case 'list':
        return fixed(expr.elements.length);
      case 'map':
        return fixed(expr.entries.length);
      default:
    }
    const declared = this.#declared(expr);
    if (declared !== undefined && 'sizeMax' in declared && declared.sizeMax !== undefined)
      return { min: 0, max: declared.sizeMax };
    const type = this.#checked.types.get(expr);
    return type !== undefined && isScalar(type) ? fixed(1) : unknownSize;
  }

  /** The declared type of a name, a field or an item, which says how large its values can be. */
  #declared(expr: Expr): CelType | undefined {
    switch (expr.kind) {
      case 'ident': {
        const variable = this.#variables.findLast(([name]) => name === expr.name);
        return variable === undefined ? this.#checked.types.get(expr) : variable[1];
      }
      case 'select': {
        const operand = this.#declared(expr.operand);
        if (operand?.kind === 'struct') return operand.field(expr.field);
        return operand?.kind === 'map' ? operand.value : undefined;
      }
      case 'call': {
        const [operand] = expr.args;
        if (operand === undefined || expr.name !== '_[_]') return undefined;
        return valueType(this.#declared(operand));
      }
      default:
        return undefined;
    }
  }
}

function itemType(range: CelType | undefined, isKey: boolean): CelType | undefined {
  if (range?.kind === 'map') return range.key;
  return range?.kind === 'list' ? (isKey ? { kind: 'int' } : range.element) : undefined;
}

function valueType(range: CelType | undefined): CelType | undefined {
  return range?.kind === 'map' ? range.value : range?.kind === 'list' ? range.element : undefined;
}

/** Kinds whose values are all of one size; types and null among them. */
const scalars: ReadonlySet<string> = new Set([
  'bool',
  'int',
  'uint',
  'double',
  'timestamp',
  'duration',
  'type',
  'null',
]);

function isScalar({ kind }: CelType): boolean {
  return scalars.has(kind);
}
