// The type checker of CEL: finds the type of every node and the overloads a call may mean, and reports what does not fit
// with upstream's words. It goes on after an error with the type `!error!`, so that one pass reports all of them.

import type { CallExpr, ComprehensionExpr, Expr, MapExpr, SelectExpr, StructExpr } from './ast.ts';
import type { Overload } from './functions.ts';
import type { CelIssue } from './issues.ts';
import * as types from './types.ts';
import { type CelType, formatType } from './types.ts';
import { assign, assignAll, type Bindings, instantiate, isGround, resolve, sameType, substitute } from './unify.ts';

/** What the checker knows names by. */
export interface Declarations {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** A type by its name, or undefined; constructors `Name{…}` and names as values come from here. */
  readonly typeNamed: (name: string) => CelType | undefined;
}

export interface CheckedExpr {
  readonly expr: Expr;
  readonly type: CelType;
  readonly types: ReadonlyMap<Expr, CelType>;
  readonly overloads: ReadonlyMap<Expr, readonly Overload[]>;
  /** Nodes `a.b` that are one name: a variable `a.b` or a type. */
  readonly qualified: ReadonlyMap<Expr, string>;
}

export type CheckResult =
  | { readonly checked: CheckedExpr; readonly issues?: undefined }
  | { readonly checked?: undefined; readonly issues: readonly CelIssue[] };

export function checkCel(expr: Expr, declarations: Declarations): CheckResult {
  const checker = new Checker(declarations);
  const type = checker.check(expr);
  if (checker.issues.length > 0) return { issues: checker.issues };
  return { checked: checker.result(expr, type) };
}

class Checker {
  readonly issues: CelIssue[] = [];
  readonly #declarations: Declarations;
  readonly #types = new Map<Expr, CelType>();
  readonly #overloads = new Map<Expr, readonly Overload[]>();
  readonly #qualified = new Map<Expr, string>();
  readonly #scopes: Map<string, CelType>[] = [];
  #bindings: Bindings = new Map();
  #fresh = 0;

  constructor(declarations: Declarations) {
    this.#declarations = declarations;
  }

  result(expr: Expr, type: CelType): CheckedExpr {
    const final = new Map<Expr, CelType>();
    for (const [node, found] of this.#types) final.set(node, substitute(this.#bindings, found, true));
    return {
      expr,
      type: substitute(this.#bindings, type, true),
      types: final,
      overloads: this.#overloads,
      qualified: this.#qualified,
    };
  }

  check(expr: Expr): CelType {
    const type = this.#infer(expr);
    this.#types.set(expr, type);
    return type;
  }

  #infer(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return { kind: expr.literal.type };
      case 'ident':
        return (
          this.#identifier(expr, expr.name) ??
          this.#error(expr.offset, `undeclared reference to '${expr.name}' (in container '')`)
        );
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return types.listType(
          this.#common(expr.elements.map((element, index) => this.#element(element, expr.optional.has(index)))),
        );
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return this.#comprehension(expr);
    }
  }

  #identifier(expr: Expr, name: string): CelType | undefined {
    for (const scope of this.#scopes.toReversed()) {
      const local = scope.get(name);
      if (local !== undefined) return local;
    }
    const declared = this.#declarations.variables.get(name);
    const named = declared ?? this.#typeAsValue(name);
    if (named !== undefined) this.#qualified.set(expr, name);
    return named;
  }

  #typeAsValue(name: string): CelType | undefined {
    const type = this.#declarations.typeNamed(name);
    return type === undefined ? undefined : types.typeType(type);
  }

  #select(expr: SelectExpr): CelType {
    const name = qualifiedName(expr);
    if (name !== undefined && !this.#isLocal(name)) {
      const known = this.#identifier(expr, name);
      if (known !== undefined) return expr.testOnly ? types.boolType : known;
    }
    const operand = resolve(this.#bindings, this.check(expr.operand));
    const field = this.#fieldType(expr.offset, operand, expr.field, expr.testOnly);
    return expr.testOnly ? types.boolType : field;
  }

  #isLocal(name: string): boolean {
    const root = name.split('.', 1)[0] ?? '';
    return this.#scopes.some((scope) => scope.has(root));
  }

  #fieldType(offset: number, operand: CelType, field: string, testOnly: boolean): CelType {
    switch (operand.kind) {
      case 'map':
        return operand.value;
      case 'struct':
        return operand.field(field) ?? this.#error(offset, `undefined field '${field}'`);
      case 'opaque':
        if (operand.name === 'optional_type') {
          const inner = this.#fieldType(
            offset,
            resolve(this.#bindings, operand.params[0] ?? types.dynType),
            field,
            testOnly,
          );
          return types.optionalType(inner);
        }
        break;
      case 'param':
        this.#bindings = assign(this.#bindings, operand, types.dynType) ?? this.#bindings;
        return types.dynType;
      case 'dyn':
      case 'error':
        return types.dynType;
      default:
    }
    return this.#error(
      offset,
      `type '${formatType(substitute(this.#bindings, operand, true))}' does not support field selection`,
    );
  }

  #call(expr: CallExpr): CelType {
    if (expr.name === '_?._') return this.#optionalSelect(expr);
    if (expr.name === '_&&_' || expr.name === '_||_') return this.#logical(expr);
    const { functions } = this.#declarations;
    if (expr.target === undefined) {
      const candidates = functions.get(expr.name);
      const args = expr.args.map((arg) => this.check(arg));
      if (candidates === undefined)
        return this.#error(expr.offset, `undeclared reference to '${expr.name}' (in container '')`);
      return this.#resolve(
        expr,
        candidates.filter((overload) => !overload.member),
        args,
      );
    }
    // A qualified name such as `optional.of(x)` or `ip.isCanonical(x)` is a plain function.
    const prefix = qualifiedName(expr.target);
    const plain = prefix === undefined || this.#isLocal(prefix) ? undefined : functions.get(`${prefix}.${expr.name}`);
    if (plain !== undefined) {
      this.#qualified.set(expr, `${prefix}.${expr.name}`);
      return this.#resolve(
        expr,
        plain,
        expr.args.map((arg) => this.check(arg)),
        true,
      );
    }
    const args = [this.check(expr.target), ...expr.args.map((arg) => this.check(arg))];
    const candidates = functions.get(expr.name);
    if (candidates === undefined)
      return this.#error(expr.offset, `undeclared reference to '${expr.name}' (in container '')`);
    return this.#resolve(
      expr,
      candidates.filter((overload) => overload.member),
      args,
    );
  }

  /** Each side is held to be a bool by itself. */
  #logical(expr: CallExpr): CelType {
    for (const side of expr.args) this.#expect(side, types.boolType);
    this.#overloads.set(expr, this.#declarations.functions.get(expr.name) ?? []);
    return types.boolType;
  }

  #optionalSelect(expr: CallExpr): CelType {
    const [operand, field] = expr.args;
    const type = resolve(this.#bindings, this.check(operand as Expr));
    this.check(field as Expr);
    const name = field?.kind === 'literal' && field.literal.type === 'string' ? field.literal.value : '';
    const inner = this.#fieldType(expr.offset, type, name, true);
    return isOptional(inner) ? inner : types.optionalType(inner);
  }

  #resolve(expr: CallExpr, candidates: readonly Overload[], args: readonly CelType[], plain = false): CelType {
    if (args.some((arg) => resolve(this.#bindings, arg).kind === 'error')) return types.errorType;
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    let bindings = this.#bindings;
    for (const overload of candidates) {
      const suffix = `#${this.#fresh++}`;
      const wanted = overload.args.map((arg) => instantiate(arg, suffix));
      const grown = assignAll(this.#bindings, wanted, args);
      if (grown === undefined) continue;
      fitting.push(overload);
      const own = substitute(grown, instantiate(overload.result, suffix));
      if (result === undefined) {
        result = own;
        bindings = grown;
      } else if (!sameType(result, own)) result = types.dynType;
    }
    if (result === undefined) {
      const shown = args.map((arg) => formatType(substitute(this.#bindings, arg, true)));
      const isMethod = expr.target !== undefined && !plain;
      const signature = isMethod ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
      const name = this.#qualified.get(expr) ?? expr.name;
      return this.#error(expr.offset, `found no matching overload for '${name}' applied to '${signature}'`);
    }
    // Arguments without variables leave nothing to remember: long expressions stay linear.
    if (!args.every(isGround)) this.#bindings = bindings;
    this.#overloads.set(expr, fitting);
    return result;
  }

  #element(element: Expr, optional: boolean): CelType {
    const type = this.check(element);
    if (!optional) return type;
    const resolved = resolve(this.#bindings, type);
    if (isOptional(resolved)) return resolved.params[0] ?? types.dynType;
    if (resolved.kind === 'dyn' || resolved.kind === 'error') return types.dynType;
    return this.#mismatch(element.offset, types.optionalType(resolved), resolved);
  }

  /** The type all elements share, else dyn; a fresh variable for none. */
  #common(elements: readonly CelType[]): CelType {
    if (elements.length === 0) return types.paramType(`E#${this.#fresh++}`);
    return elements.reduce((common, element) => {
      const grown = assign(this.#bindings, common, element);
      if (grown === undefined) return types.dynType;
      this.#bindings = grown;
      return resolve(grown, element).kind === 'dyn' ? types.dynType : common;
    });
  }

  #map(expr: MapExpr): CelType {
    const keys: CelType[] = [];
    const values: CelType[] = [];
    for (const entry of expr.entries) {
      keys.push(this.check(entry.key));
      values.push(this.#element(entry.value, entry.optional));
    }
    return types.mapType(this.#common(keys), this.#common(values));
  }

  #struct(expr: StructExpr): CelType {
    const type = this.#declarations.typeNamed(expr.typeName);
    if (type === undefined) {
      for (const field of expr.fields) this.check(field.value);
      return this.#error(expr.offset, `undeclared reference to '${expr.typeName}' (in container '')`);
    }
    if (type.kind !== 'struct') return this.#error(expr.offset, `'${expr.typeName}' is not a type`);
    for (const field of expr.fields) {
      const given = this.#element(field.value, field.optional);
      const wanted = type.field(field.name);
      if (wanted === undefined) {
        this.#error(field.offset, `undefined field '${field.name}'`);
        continue;
      }
      const grown = assign(this.#bindings, wanted, given);
      if (grown === undefined) {
        const shown = [wanted, given].map((one) => formatType(substitute(this.#bindings, one, true)));
        this.#error(
          field.offset,
          `expected type of field '${field.name}' is '${shown[0]}' but provided type is '${shown[1]}'`,
        );
      } else this.#bindings = grown;
    }
    return type;
  }

  #comprehension(expr: ComprehensionExpr): CelType {
    const range = resolve(this.#bindings, this.check(expr.range));
    const [first, second] = this.#iteration(expr, range);
    const init = this.check(expr.init);
    this.#scopes.push(new Map([[expr.accumulator, init]]));
    this.#scopes.push(
      new Map([[expr.variable, first], ...(expr.variable2 === undefined ? [] : [[expr.variable2, second] as const])]),
    );
    this.#expect(expr.condition, types.boolType);
    const step = this.check(expr.step);
    const grown = assign(this.#bindings, init, step);
    if (grown === undefined) this.#mismatch(expr.step.offset, init, step);
    else this.#bindings = grown;
    this.#scopes.pop();
    const result = this.check(expr.result);
    this.#scopes.pop();
    return result;
  }

  /** The types of a fold's variables over `range`. */
  #iteration(expr: ComprehensionExpr, range: CelType): readonly [CelType, CelType] {
    const two = expr.variable2 !== undefined;
    switch (range.kind) {
      case 'list':
        return two ? [types.intType, range.element] : [range.element, range.element];
      case 'map':
        return [range.key, range.value];
      case 'param':
        this.#bindings = assign(this.#bindings, range, types.dynType) ?? this.#bindings;
        return [types.dynType, types.dynType];
      case 'dyn':
      case 'error':
        return [types.dynType, types.dynType];
      default: {
        const shown = formatType(substitute(this.#bindings, range, true));
        const error = this.#error(
          expr.range.offset,
          `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [error, error];
      }
    }
  }

  #expect(expr: Expr, wanted: CelType): void {
    const type = this.check(expr);
    const grown = assign(this.#bindings, wanted, type);
    if (grown === undefined) this.#mismatch(expr.offset, wanted, type);
    else this.#bindings = grown;
  }

  #mismatch(offset: number, wanted: CelType, given: CelType): CelType {
    const [expected, actual] = [wanted, given].map((type) => formatType(substitute(this.#bindings, type, true)));
    return this.#error(offset, `expected type '${expected}' but found '${actual}'`);
  }

  #error(offset: number, message: string): CelType {
    this.issues.push({ offset, message });
    return types.errorType;
  }
}

function isOptional(type: CelType): type is types.OpaqueType {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** `a.b.c` as one name, if the expression is nothing else. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
