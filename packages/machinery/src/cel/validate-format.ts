// Calls of `format` whose text and arguments are written out: checked when an expression is compiled, as the strings
// extension does it.

import type { CallExpr, Expr } from './ast.ts';
import type { CelIssue } from './issues.ts';
import { formatVerb, type FormatVerb, formatVerbs } from './libraries/format-verbs.ts';
import { type CelType, typeName } from './types.ts';

/** What is wrong with the call, if it is one of `format` on a literal with a list literal. */
export function formatIssue(call: CallExpr, typeOf: (expr: Expr) => CelType): CelIssue | undefined {
  const { target } = call;
  const [list] = call.args;
  if (call.name !== 'format' || target?.kind !== 'literal' || target.literal.type !== 'string') return undefined;
  if (list?.kind !== 'list') return undefined;
  let used = 0;
  for (const [, , letter] of target.literal.value.matchAll(formatVerb)) {
    if (letter === '%') continue;
    if (letter === undefined) return { offset: call.offset, message: 'unexpected end of string' };
    const arg = list.elements[used];
    if (arg === undefined) return { offset: call.offset, message: `index ${used} out of range` };
    used++;
    const verb = formatVerbs.get(letter);
    if (verb === undefined) {
      const text = `could not parse formatting clause: unrecognized formatting clause "${letter}"`;
      return { offset: call.offset, message: text };
    }
    const wrong = wrongPart(arg, verb, typeOf);
    if (wrong === undefined) continue;
    const found = bareName(typeOf(wrong));
    return { offset: wrong.offset, message: `error during formatting: ${verb.rule}, was given ${found}` };
  }
  if (used === list.elements.length) return undefined;
  const counts = `(expected ${used}, got ${list.elements.length})`;
  return { offset: call.offset, message: `too many arguments supplied to string.format ${counts}` };
}

/** The argument, or what is in it, that the verb does not take. */
function wrongPart(arg: Expr, verb: FormatVerb, typeOf: (expr: Expr) => CelType): Expr | undefined {
  const { kind } = typeOf(arg);
  if (kind !== 'dyn' && !verb.types.includes(kind)) return arg;
  const parts =
    !verb.isDeep || (arg.kind !== 'list' && arg.kind !== 'map')
      ? []
      : arg.kind === 'list'
        ? arg.elements
        : arg.entries.flatMap(({ key, value }) => [key, value]);
  for (const part of parts) {
    const wrong = wrongPart(part, verb, typeOf);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

/** A type's name without its parameters. */
function bareName(type: CelType): string {
  return typeName(type).split('(', 1)[0] ?? '';
}
