// The evaluator of CEL: walks a checked tree. Every node that could repeat costs something, so a budget bounds the time
// of any expression. Errors are exceptions; `&&`, `||` and folds over them absorb errors as the language demands.

import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr, StructExpr } from './ast.ts';
import { callCost, costs } from './call-cost.ts';
import type { CheckedExpr } from './checker.ts';
import { equals } from './compare.ts';
import type { CallContext, Overload } from './functions.ts';
import {
  CelError,
  CelList,
  type CelMap,
  CelOptional,
  CelTypeValue,
  CelUint,
  type CelValue,
  EntryMap,
  isMap,
  isOfType,
  keyText,
  typeNameOf,
} from './values.ts';

/** The budget ran out; nothing absorbs this. */
export class CelCostError extends Error {
  override readonly name = 'CelCostError';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

export interface EvaluationOptions {
  /** The value of a declared variable; called once a use. */
  readonly variable: (name: string) => CelValue | undefined;
  readonly costBudget: number;
  /** Makes `Name{…}`; absent where the environment has no constructors. */
  readonly construct?: ((typeName: string, fields: ReadonlyMap<string, CelValue>) => CelValue) | undefined;
}

interface Scope {
  readonly name: string;
  readonly value: CelValue | CelError;
  readonly parent: Scope | undefined;
}

/** Runs one evaluation. @throws CelError where the expression fails, CelCostError where the budget is spent */
export class Evaluation implements CallContext {
  /** Cost units spent so far. */
  cost = 0;
  readonly #checked: CheckedExpr;
  readonly #options: EvaluationOptions;

  constructor(checked: CheckedExpr, options: EvaluationOptions) {
    this.#checked = checked;
    this.#options = options;
  }

  run(): CelValue {
    return this.#eval(this.#checked.expr, undefined);
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#options.costBudget) throw new CelCostError();
  }

  #eval(expr: Expr, scope: Scope | undefined): CelValue {
    switch (expr.kind) {
      case 'literal':
        return expr.literal.type === 'uint' ? new CelUint(expr.literal.value) : expr.literal.value;
      case 'ident':
        this.charge(costs.identifier);
        return this.#variable(expr, expr.name, scope);
      case 'select':
        return this.#select(expr, scope);
      case 'call':
        return this.#call(expr, scope);
      case 'list':
        return this.#list(expr, scope);
      case 'map':
        return this.#map(expr, scope);
      case 'struct':
        return this.#struct(expr, scope);
      case 'comprehension':
        return this.#fold(expr, scope);
    }
  }

  #variable(expr: Expr, name: string, scope: Scope | undefined): CelValue {
    for (let at = scope; at !== undefined; at = at.parent) {
      if (at.name !== name) continue;
      if (at.value instanceof CelError) throw at.value;
      return at.value;
    }
    const value = this.#options.variable(name);
    if (value !== undefined) return value;
    const type = this.#checked.types.get(expr);
    if (type?.kind === 'type') return new CelTypeValue(name);
    throw new CelError(`no such attribute(s): ${name}`);
  }

  #select(expr: SelectExpr, scope: Scope | undefined): CelValue {
    this.charge(costs.select);
    const qualified = this.#checked.qualified.get(expr);
    if (qualified !== undefined) return expr.testOnly ? true : this.#variable(expr, qualified, undefined);
    const operand = this.#eval(expr.operand, scope);
    if (operand instanceof CelOptional) {
      if (expr.testOnly) return operand.value !== undefined && hasField(operand.value, expr.field);
      return operand.value === undefined ? operand : optionalField(operand.value, expr.field);
    }
    return expr.testOnly ? hasField(operand, expr.field) : fieldOf(operand, expr.field);
  }

  #call(expr: CallExpr, scope: Scope | undefined): CelValue {
    const [first, second, third] = expr.args as [Expr, Expr, Expr];
    switch (expr.name) {
      case '_&&_':
      case '_||_':
        return this.#logical(first, second, expr.name === '_||_', scope);
      case '_?_:_':
        return this.#eval(this.#bool(first, scope) ? second : third, scope);
      case '@not_strictly_false':
        try {
          return this.#eval(first, scope) !== false;
        } catch (error) {
          if (error instanceof CelError) return true;
          throw error;
        }
      case '_==_':
      case '_!=_': {
        const left = this.#eval(first, scope);
        const right = this.#eval(second, scope);
        this.charge(callCost(expr.name, [left, right]));
        return equals(left, right) === (expr.name === '_==_');
      }
      case '_?._':
        return this.#optionalIndex(first, second, scope);
      default:
        return this.#function(expr, scope);
    }
  }

  #function(expr: CallExpr, scope: Scope | undefined): CelValue {
    const qualified = this.#checked.qualified.get(expr);
    const args = expr.target !== undefined && qualified === undefined ? [this.#eval(expr.target, scope)] : [];
    for (const arg of expr.args) args.push(this.#eval(arg, scope));
    const name = qualified ?? expr.name;
    this.charge(callCost(name, args));
    return overloadFor(this.#checked.overloads.get(expr) ?? [], name, args).call(args, this);
  }

  #bool(expr: Expr, scope: Scope | undefined): boolean {
    const value = this.#eval(expr, scope);
    if (typeof value !== 'boolean') throw new CelError('no such overload');
    return value;
  }

  /** One deciding side is enough, even if the other fails. */
  #logical(left: Expr, right: Expr, deciding: boolean, scope: Scope | undefined): boolean {
    const first = this.#attempt(left, scope);
    if (first === deciding) return deciding;
    const second = this.#attempt(right, scope);
    if (second === deciding) return deciding;
    if (first instanceof CelError) throw first;
    if (second instanceof CelError) throw second;
    return second;
  }

  #attempt(expr: Expr, scope: Scope | undefined): boolean | CelError {
    try {
      return this.#bool(expr, scope);
    } catch (error) {
      if (error instanceof CelError) return error;
      throw error;
    }
  }

  #optionalIndex(operand: Expr, key: Expr, scope: Scope | undefined): CelValue {
    this.charge(costs.select);
    const value = this.#eval(operand, scope);
    const field = this.#eval(key, scope) as string;
    if (value instanceof CelOptional) return value.value === undefined ? value : optionalField(value.value, field);
    return optionalField(value, field);
  }

  #list(expr: ListExpr, scope: Scope | undefined): CelValue {
    this.charge(costs.list);
    const items: CelValue[] = [];
    expr.elements.forEach((element, index) => {
      const value = this.#eval(element, scope);
      if (!expr.optional.has(index)) items.push(value);
      else if (value instanceof CelOptional && value.value !== undefined) items.push(value.value);
    });
    return CelList.of(items);
  }

  #map(expr: MapExpr, scope: Scope | undefined): CelValue {
    this.charge(costs.map);
    const entries: [CelValue, CelValue][] = [];
    for (const entry of expr.entries) {
      const key = this.#eval(entry.key, scope);
      const value = this.#eval(entry.value, scope);
      if (!entry.optional) entries.push([key, value]);
      else if (value instanceof CelOptional && value.value !== undefined) entries.push([key, value.value]);
    }
    return new EntryMap(entries);
  }

  #struct(expr: StructExpr, scope: Scope | undefined): CelValue {
    this.charge(costs.struct);
    const fields = new Map<string, CelValue>();
    for (const field of expr.fields) {
      const value = this.#eval(field.value, scope);
      if (!field.optional) fields.set(field.name, value);
      else if (value instanceof CelOptional && value.value !== undefined) fields.set(field.name, value.value);
    }
    if (this.#options.construct === undefined) throw new CelError(`unknown type: ${expr.typeName}`);
    return this.#options.construct(expr.typeName, fields);
  }

  #fold(expr: ComprehensionExpr, scope: Scope | undefined): CelValue {
    const range = this.#eval(expr.range, scope);
    const grown = new Growing();
    let so: CelValue | CelError = this.#eval(expr.init, scope);
    if (so instanceof CelList && so.size === 0) so = grown.list();
    const endless = expr.condition.kind === 'literal' && expr.condition.literal.value === true;
    for (const [first, second] of itemsOf(range, expr.variable2 !== undefined)) {
      const inner: Scope = {
        name: expr.accumulator,
        value: so,
        parent: { name: expr.variable, value: first, parent: scope },
      };
      const here = expr.variable2 === undefined ? inner : { name: expr.variable2, value: second, parent: inner };
      if (!endless && !this.#bool(expr.condition, here)) break;
      try {
        so = grown.append(expr, this, (part) => this.#eval(part, here)) ?? this.#eval(expr.step, here);
      } catch (error) {
        // A predicate that failed may still be decided by a later item; a list that failed may not.
        if (!(error instanceof CelError) || endless) throw error;
        so = error;
      }
    }
    return this.#eval(expr.result, { name: expr.accumulator, value: so, parent: scope });
  }
}

/** Grows the list of a `map` or `filter` in place: folding by `result + [item]` literally would be quadratic. */
class Growing {
  readonly #items: CelValue[] = [];

  list(): CelList {
    return CelList.of(this.#items);
  }

  /** The list after one step, or undefined if the step is not of that form. */
  append(expr: ComprehensionExpr, evaluation: CallContext, evaluate: (part: Expr) => CelValue): CelList | undefined {
    const { step } = expr;
    if (expr.init.kind !== 'list' || step.kind !== 'call') return undefined;
    const sum = step.name === '_?_:_' ? step.args[1] : step;
    const added = sum?.kind === 'call' && sum.name === '_+_' ? sum.args[1] : undefined;
    if (added?.kind !== 'list' || added.elements[0] === undefined) return undefined;
    evaluation.charge(costs.identifier);
    if (step !== sum) {
      const chosen = evaluate(step.args[0] as Expr);
      if (typeof chosen !== 'boolean') throw new CelError('no such overload');
      if (!chosen) return this.list();
    }
    evaluation.charge(costs.list + 1);
    this.#items.push(evaluate(added.elements[0]));
    return this.list();
  }
}

function* itemsOf(range: CelValue, two: boolean): Generator<readonly [CelValue, CelValue]> {
  if (range instanceof CelList) {
    for (let index = 0; index < range.size; index++) {
      const item = range.at(index);
      yield two ? [BigInt(index), item] : [item, item];
    }
  } else if (isMap(range)) {
    for (const key of range.keys()) yield [key, two ? (range.get(key) ?? null) : key];
  } else throw new CelError(`got '${typeNameOf(range)}', expected iterable type`);
}

function overloadFor(candidates: readonly Overload[], name: string, args: readonly CelValue[]): Overload {
  const found = candidates.find((overload) =>
    args.every((arg, index) => isOfType(arg, overload.args[index] ?? { kind: 'dyn' })),
  );
  if (found !== undefined) return found;
  const [container, key] = args;
  if (name === '_[_]' && container !== undefined && key !== undefined) {
    throw container instanceof CelList ? wrongIndex(key) : new CelError(`no such key: ${keyText(key).slice(1)}`);
  }
  const isOperator = name.includes('_') || name.startsWith('@');
  throw new CelError(isOperator ? 'no such overload' : `no such overload: ${name}(${args.map(typeNameOf).join(', ')})`);
}

/** `value.field`. @throws CelError where there is none */
export function fieldOf(value: CelValue, field: string): CelValue {
  if (value instanceof CelList) throw wrongIndex(field);
  const found = isMap(value) ? value.get(field) : undefined;
  if (found === undefined) throw new CelError(`no such key: ${field}`);
  return found;
}

function wrongIndex(key: CelValue): CelError {
  return new CelError(`unsupported index type '${typeNameOf(key)}' in list`);
}

function hasField(value: CelValue, field: string): boolean {
  return isMap(value) && value.has(field);
}

function optionalField(value: CelValue, field: string): CelOptional {
  if (value === null) return CelOptional.none;
  if (!isMap(value)) throw new CelError('no such overload');
  const found = (value as CelMap).get(field);
  return found === undefined ? CelOptional.none : new CelOptional(found);
}
