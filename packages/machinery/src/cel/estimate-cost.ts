// Estimates what an expression can cost at most, before it runs, from the sizes its types declare: cel-go's estimator
// (`checker/cost.go`), without cost for presence tests. Sizes are characters, bytes, items or entries; costs are the units of
// call-cost.ts. What is accepted in a CustomResourceDefinition hangs on these numbers, so oddities are kept.

import type { CallExpr, ComprehensionExpr, Expr, SelectExpr } from './ast.ts';
import { costs } from './call-cost.ts';
import type { CheckedExpr } from './checker.ts';
import { add, fixed, multiply, nothing, one, type Range, union } from './cost-range.ts';
import { type CallEstimate, estimateCall } from './estimate-call.ts';
import { type EntrySizes, Sizes, unionOfEntries } from './estimate-sizes.ts';
import { accumulatorName } from './macros.ts';
import type { CelType } from './types.ts';

export { costMax } from './cost-range.ts';

/** The greatest cost of one evaluation. @param self - the declared type of the variable `self`, with sizes */
export function estimateCost(checked: CheckedExpr, self?: CelType): number {
  return new Estimator(checked, self).cost(checked.expr).max;
}

class Estimator {
  readonly #checked: CheckedExpr;
  readonly #sizes: Sizes;

  constructor(checked: CheckedExpr, self: CelType | undefined) {
    this.#checked = checked;
    this.#sizes = new Sizes(checked, self);
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        return nothing;
      case 'ident':
        this.#sizes.placeName(expr, expr.name);
        return fixed(costs.identifier);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr, expr.elements);
      case 'map':
        return this.#map(
          expr,
          expr.entries.map(({ key }) => key),
          expr.entries.map(({ value }) => value),
        );
      case 'struct':
        return this.#sum(
          expr.fields.map(({ value }) => value),
          costs.struct,
        );
      case 'comprehension':
        return isBinding(expr) ? this.#binding(expr) : this.#fold(expr);
    }
  }

  #sum(exprs: readonly Expr[], own: number): Range {
    return exprs.map((expr) => this.cost(expr)).reduce(add, fixed(own));
  }

  #select(expr: SelectExpr): Range {
    const name = this.#checked.qualified.get(expr);
    if (name !== undefined) {
      this.#sizes.placeName(expr, name);
      return fixed(costs.identifier);
    }
    const operand = this.cost(expr.operand);
    if (expr.testOnly) return operand;
    this.#sizes.placeUnder(expr, expr.operand, expr.field);
    const kind = this.#sizes.typeOf(expr.operand)?.kind;
    const isStep = kind === 'map' || kind === 'struct' || kind === 'param';
    return isStep ? add(operand, fixed(costs.select)) : operand;
  }

  #list(expr: Expr, elements: readonly Expr[]): Range {
    const sum = this.#sum(elements, costs.list);
    this.#sizes.setEntries(expr, { isList: true, key: one, value: this.#unionOfSizes(elements) });
    return sum;
  }

  #map(expr: Expr, keys: readonly Expr[], values: readonly Expr[]): Range {
    const sum = this.#sum([...keys, ...values], costs.map);
    const entries = { isList: false, key: this.#unionOfSizes(keys), value: this.#unionOfSizes(values) };
    this.#sizes.setEntries(expr, entries);
    return sum;
  }

  #unionOfSizes(exprs: readonly Expr[]): Range {
    return exprs.length === 0 ? nothing : exprs.map((expr) => this.#sizes.sizeOf(expr)).reduce(union);
  }

  #fold(expr: ComprehensionExpr): Range {
    const sizes = this.#sizes;
    const start = add(this.cost(expr.range), this.cost(expr.init));
    sizes.pushValue(expr.accumulator, expr.init);
    if (expr.variable2 === undefined) sizes.pushItem(expr.variable, expr.range);
    else {
      sizes.pushEntry(expr.variable, expr.range, 'key');
      sizes.pushEntry(expr.variable2, expr.range, 'value');
    }
    const step = add(this.cost(expr.condition), this.cost(expr.step));
    sizes.pop(expr.variable2 === undefined ? 1 : 2);
    const result = this.cost(expr.result);
    sizes.pop(1);
    const count = sizes.sizeOf(expr.range);
    if (expr.init.kind === 'literal') sizes.set(expr, sizes.knownSizeOf(expr.init));
    else if (expr.init.kind === 'list' || expr.init.kind === 'map') {
      sizes.set(expr, count);
      sizes.setEntries(expr, sizes.entriesOf(expr.step));
    }
    return add(add(start, result), multiply(count, step));
  }

  #binding(expr: ComprehensionExpr): Range {
    const start = add(this.cost(expr.range), this.cost(expr.init));
    this.#sizes.pushValue(expr.accumulator, expr.init);
    const result = this.cost(expr.result);
    this.#sizes.pop(1);
    this.#sizes.copy(expr, expr.result);
    return add(start, result);
  }

  #call(expr: CallExpr): Range {
    const sizes = this.#sizes;
    const name = this.#checked.qualified.get(expr) ?? expr.name;
    const target = name === expr.name ? expr.target : undefined;
    const { args } = expr;
    if (name === 'dyn') {
      const cost = add(one, this.cost(args[0] as Expr));
      sizes.copy(expr, args[0] as Expr);
      return cost;
    }
    const argCosts = args.map((arg) => this.cost(arg));
    // What the arguments are is settled before the target is looked at.
    for (const arg of args) sizes.knownSizeOf(arg);
    const targetCost = target === undefined ? nothing : this.cost(target);
    if (name === '_&&_' || name === '_||_') {
      const [left = nothing, right = nothing] = argCosts;
      return { min: left.min, max: add(left, right).max };
    }
    if (name === '_?_:_') return this.#conditional(expr, argCosts);
    const { own, size, entries } = this.#estimate(expr, name, target);
    if (entries !== undefined) sizes.setEntries(expr, entries);
    let result = size;
    if (name === '_[_]') {
      const container = args[0] as Expr;
      result = sizes.entriesOf(container)?.value;
      const kind = sizes.typeOf(container)?.kind;
      if (kind === 'list' || kind === 'map' || kind === 'dyn')
        sizes.placeUnder(expr, container, kind === 'list' ? '@items' : '@values');
    }
    sizes.set(expr, result ?? sizes.knownSizeOf(expr));
    return add(targetCost, argCosts.reduce(add, own));
  }

  #conditional(expr: CallExpr, costsOfParts: readonly Range[]): Range {
    const [condition = nothing, then = nothing, otherwise = nothing] = costsOfParts;
    const [, first, second] = expr.args as [Expr, Expr, Expr];
    const sizes = this.#sizes;
    sizes.set(expr, union(sizes.sizeOf(first), sizes.sizeOf(second)));
    sizes.setEntries(expr, unionOfEntries(sizes.entriesOf(first), sizes.entriesOf(second)));
    return add(condition, union(then, otherwise));
  }

  /** Over all that the call may mean. */
  #estimate(
    expr: CallExpr,
    name: string,
    target: Expr | undefined,
  ): { readonly own: Range; readonly size: Range | undefined; readonly entries: EntrySizes | undefined } {
    const overloads = this.#checked.overloads.get(expr) ?? [];
    const found = overloads.map((overload): CallEstimate =>
      estimateCall({ name, overload, target, args: expr.args, sizes: this.#sizes }),
    );
    const results = found.flatMap(({ size }) => size ?? []);
    return {
      own: found.length === 0 ? one : found.map(({ cost }) => cost).reduce(union),
      size: results.length === 0 ? undefined : results.reduce(union),
      entries: found.find(({ entries }) => entries !== undefined)?.entries,
    };
  }
}

/** What optMap(), optFlatMap() and sortBy() become: a fold that never runs, for the sake of its accumulator. */
function isBinding({ range, condition, accumulator }: ComprehensionExpr): boolean {
  return (
    range.kind === 'list' &&
    range.elements.length === 0 &&
    condition.kind === 'literal' &&
    condition.literal.value === false &&
    accumulator !== accumulatorName
  );
}
