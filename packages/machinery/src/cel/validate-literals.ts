// Checks beyond types: literal arguments of duration(), timestamp(), matches() and format() must parse, and the members of a list
// or map literal must share a type. Kubernetes' environments demand both when an expression is stored.

import type { CallExpr, Expr } from './ast.ts';
import type { CheckedExpr } from './checker.ts';
import type { CelIssue } from './issues.ts';
import { durationOf, timestampOf } from './libraries/conversions.ts';
import { compilePattern } from './patterns.ts';
import { type CelType, formatType } from './types.ts';
import { sameType } from './unify.ts';
import { formatIssue } from './validate-format.ts';

export function validateLiterals(checked: CheckedExpr): readonly CelIssue[] {
  const issues: CelIssue[] = [];
  const typeOf = (expr: Expr): CelType => checked.types.get(expr) ?? { kind: 'dyn' };
  const visit = (expr: Expr, mayMix: boolean): void => {
    switch (expr.kind) {
      case 'call':
        checkCall(expr, issues, typeOf);
        if (expr.target !== undefined) visit(expr.target, false);
        for (const arg of expr.args) visit(arg, mayMix || expr.name === 'format');
        break;
      case 'select':
        visit(expr.operand, false);
        break;
      case 'list':
        if (!mayMix)
          requireOneType(
            expr.elements.filter((_, index) => !expr.optional.has(index)),
            typeOf,
            issues,
          );
        for (const element of expr.elements) visit(element, mayMix);
        break;
      case 'map':
        requireOneType(
          expr.entries.map(({ key }) => key),
          typeOf,
          issues,
        );
        requireOneType(
          expr.entries.filter(({ optional }) => !optional).map(({ value }) => value),
          typeOf,
          issues,
        );
        for (const { key, value } of expr.entries) [key, value].forEach((part) => visit(part, false));
        break;
      case 'struct':
        for (const { value } of expr.fields) visit(value, false);
        break;
      case 'comprehension':
        for (const part of [expr.range, expr.init, expr.condition, expr.step, expr.result]) visit(part, false);
        break;
      case 'literal':
      case 'ident':
    }
  };
  visit(checked.expr, false);
  return issues;
}

function requireOneType(exprs: readonly Expr[], typeOf: (expr: Expr) => CelType, issues: CelIssue[]): void {
  let first: CelType | undefined;
  for (const expr of exprs) {
    const type = typeOf(expr);
    if (type.kind === 'dyn') continue;
    first ??= type;
    if (sameType(first, type)) continue;
    issues.push({
      offset: expr.offset,
      message: `expected type '${formatType(first)}' but found '${formatType(type)}'`,
    });
    return;
  }
}

const literalChecks = new Map<string, (text: string) => unknown>([
  ['duration', durationOf],
  ['timestamp', timestampOf],
  ['matches', compilePattern],
]);

function checkCall(call: CallExpr, issues: CelIssue[], typeOf: (expr: Expr) => CelType): void {
  const wrongFormat = formatIssue(call, typeOf);
  if (wrongFormat !== undefined) issues.push(wrongFormat);
  const parse = literalChecks.get(call.name);
  const last = call.args.at(-1);
  if (parse === undefined || last?.kind !== 'literal' || last.literal.type !== 'string') return;
  try {
    parse(last.literal.value);
  } catch {
    issues.push({ offset: last.offset, message: `invalid ${call.name} argument` });
  }
}
