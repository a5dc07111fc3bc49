// What fails when an expression is made ready to run, because upstream computes it once and for all then: conversions of
// constants, and patterns that are written out.

import type { CallExpr, Expr } from './ast.ts';
import type { CheckedExpr } from './checker.ts';
import type { CallContext } from './functions.ts';
import { compilePattern } from './patterns.ts';
import { CelError, CelUint, type CelValue } from './values.ts';

const conversions: ReadonlySet<string> = new Set([
  'bool', 'bytes', 'double', 'duration', 'dyn', 'int', 'string', 'timestamp', 'type', 'uint',
]); // prettier-ignore
const searches: ReadonlySet<string> = new Set(['matches', 'find', 'findAll']);
const free: CallContext = { charge: () => undefined };

/** The text of the first failure; undefined when all is well. */
export function planError(checked: CheckedExpr): string | undefined {
  try {
    new Plan(checked).visit(checked.expr);
    return undefined;
  } catch (error) {
    if (error instanceof CelError) return error.message;
    throw error;
  }
}

class Plan {
  readonly #checked: CheckedExpr;

  constructor(checked: CheckedExpr) {
    this.#checked = checked;
  }

  /** The value of a constant; undefined for all else. @throws CelError */
  visit(expr: Expr): CelValue | undefined {
    switch (expr.kind) {
      case 'literal':
        return expr.literal.type === 'uint' ? new CelUint(expr.literal.value) : expr.literal.value;
      case 'call':
        return this.#call(expr);
      case 'select':
        this.visit(expr.operand);
        return undefined;
      case 'list':
        return this.#all(expr.elements);
      case 'map':
        return this.#all(expr.entries.flatMap(({ key, value }) => [key, value]));
      case 'struct':
        return this.#all(expr.fields.map(({ value }) => value));
      case 'comprehension':
        return this.#all([expr.range, expr.init, expr.condition, expr.step, expr.result]);
      case 'ident':
        return undefined;
    }
  }

  #all(exprs: readonly Expr[]): undefined {
    for (const expr of exprs) this.visit(expr);
  }

  #call(expr: CallExpr): CelValue | undefined {
    if (expr.target !== undefined && !this.#checked.qualified.has(expr)) this.visit(expr.target);
    const args = expr.args.map((arg) => this.visit(arg));
    const [first] = args;
    const pattern = args[expr.target === undefined ? 1 : 0];
    if (searches.has(expr.name) && typeof pattern === 'string') compilePattern(pattern);
    if (expr.target !== undefined || args.length !== 1 || first === undefined || !conversions.has(expr.name)) {
      return undefined;
    }
    const [overload] = this.#checked.overloads.get(expr) ?? [];
    return overload?.call([first], free);
  }
}
