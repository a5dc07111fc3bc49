// The macros of CEL: has, all, exists, exists_one, map, filter, their two-variable forms, optMap and optFlatMap.
// Each becomes a fold (or a presence test), as upstream's parser expands them, so the checker, the evaluator and the
// cost estimator need to know folds only.

import type { CallExpr, ComprehensionExpr, Expr, Literal } from './ast.ts';
import { CelSyntaxError } from './issues.ts';

/** The fold's running value; not writable as an identifier by users. */
export const accumulatorName = '@result';

type Macro = (call: CallExpr, target: Expr, args: readonly Expr[]) => Expr;

/** The expansion of a macro call, or undefined if `call` is an ordinary call. @throws CelSyntaxError on a wrong argument */
export function expandMacro(call: CallExpr): Expr | undefined {
  if (call.target === undefined) return call.name === 'has' && call.args.length === 1 ? presence(call) : undefined;
  return macros.get(`${call.name}:${call.args.length}`)?.(call, call.target, call.args);
}

function presence(call: CallExpr): Expr {
  const [arg] = call.args;
  if (arg?.kind !== 'select' || arg.testOnly) fail(arg ?? call, 'invalid argument to has() macro');
  return { ...arg, offset: call.offset, testOnly: true };
}

const macros = new Map<string, Macro>([
  ['all:2', (call, target, [v, p]) => quantifier(call, target, [v], p as Expr, 'all')],
  ['all:3', (call, target, [i, v, p]) => quantifier(call, target, [i, v], p as Expr, 'all')],
  ['exists:2', (call, target, [v, p]) => quantifier(call, target, [v], p as Expr, 'exists')],
  ['exists:3', (call, target, [i, v, p]) => quantifier(call, target, [i, v], p as Expr, 'exists')],
  ['exists_one:2', (call, target, [v, p]) => existsOne(call, target, [v], p as Expr)],
  ['existsOne:2', (call, target, [v, p]) => existsOne(call, target, [v], p as Expr)],
  ['exists_one:3', (call, target, [i, v, p]) => existsOne(call, target, [i, v], p as Expr)],
  ['existsOne:3', (call, target, [i, v, p]) => existsOne(call, target, [i, v], p as Expr)],
  ['map:2', (call, target, [v, t]) => toList(call, target, [v], undefined, t as Expr)],
  ['map:3', (call, target, [v, p, t]) => toList(call, target, [v], p, t as Expr)],
  ['filter:2', (call, target, [v, p]) => toList(call, target, [v], p as Expr, v as Expr)],
  ['transformList:3', (call, target, [i, v, t]) => toList(call, target, [i, v], undefined, t as Expr)],
  ['transformList:4', (call, target, [i, v, p, t]) => toList(call, target, [i, v], p, t as Expr)],
  ['transformMap:3', (call, target, [k, v, t]) => toMap(call, target, [k, v], undefined, [k, t])],
  ['transformMap:4', (call, target, [k, v, p, t]) => toMap(call, target, [k, v], p, [k, t])],
  ['transformMapEntry:3', (call, target, [k, v, t]) => toMap(call, target, [k, v], undefined, [t])],
  ['transformMapEntry:4', (call, target, [k, v, p, t]) => toMap(call, target, [k, v], p, [t])],
  ['sortBy:2', (call, target, [v, key]) => sortBy(call, target, v, key as Expr)],
  ['optMap:2', (call, target, [v, t]) => optionalMap(call, target, v, at(call, 'optional.of', [t as Expr]))],
  ['optFlatMap:2', (call, target, [v, t]) => optionalMap(call, target, v, t as Expr)],
]);

function quantifier(
  call: CallExpr,
  range: Expr,
  variables: readonly (Expr | undefined)[],
  predicate: Expr,
  kind: 'all' | 'exists',
): Expr {
  const so = accumulator(call);
  const goOn = kind === 'all' ? so : at(call, '!_', [so]);
  return fold(call, range, variables, {
    init: literal(call, { type: 'bool', value: kind === 'all' }),
    condition: at(call, '@not_strictly_false', [goOn]),
    step: at(call, kind === 'all' ? '_&&_' : '_||_', [so, predicate]),
    result: so,
  });
}

function existsOne(call: CallExpr, range: Expr, variables: readonly (Expr | undefined)[], predicate: Expr): Expr {
  const so = accumulator(call);
  const one = literal(call, { type: 'int', value: 1n });
  return fold(call, range, variables, {
    init: literal(call, { type: 'int', value: 0n }),
    condition: literal(call, { type: 'bool', value: true }),
    step: at(call, '_?_:_', [predicate, at(call, '_+_', [so, one]), so]),
    result: at(call, '_==_', [so, one]),
  });
}

function toList(
  call: CallExpr,
  range: Expr,
  variables: readonly (Expr | undefined)[],
  predicate: Expr | undefined,
  item: Expr,
): Expr {
  const so = accumulator(call);
  const list = (elements: readonly Expr[]): Expr => ({
    kind: 'list',
    offset: call.offset,
    elements,
    optional: new Set(),
  });
  const grown = at(call, '_+_', [so, list([item])]);
  return fold(call, range, variables, {
    init: list([]),
    condition: literal(call, { type: 'bool', value: true }),
    step: predicate === undefined ? grown : at(call, '_?_:_', [predicate, grown, so]),
    result: so,
  });
}

/** @param entry - a key and a value, or a map of entries */
function toMap(
  call: CallExpr,
  range: Expr,
  variables: readonly (Expr | undefined)[],
  predicate: Expr | undefined,
  entry: readonly (Expr | undefined)[],
): Expr {
  const so = accumulator(call);
  const grown = at(call, 'cel.@mapInsert', [so, ...(entry as readonly Expr[])]);
  return fold(call, range, variables, {
    init: { kind: 'map', offset: call.offset, entries: [] },
    condition: literal(call, { type: 'bool', value: true }),
    step: predicate === undefined ? grown : at(call, '_?_:_', [predicate, grown, so]),
    result: so,
  });
}

/** `target.hasValue() ? <expression with the value bound> : optional.none()`. */
function optionalMap(call: CallExpr, target: Expr, variable: Expr | undefined, then: Expr): Expr {
  const name = variableName(variable, 'argument must be a simple name', call);
  const value: Expr = { kind: 'call', offset: call.offset, name: 'value', target, args: [] };
  const bound = binding(call, name, value, then);
  const has: Expr = { kind: 'call', offset: call.offset, name: 'hasValue', target, args: [] };
  return at(call, '_?_:_', [has, bound, at(call, 'optional.none', [])]);
}

/** The list is computed once, for itself and for the keys its items are sorted by. */
function sortBy(call: CallExpr, target: Expr, variable: Expr | undefined, key: Expr): Expr {
  const name = '@list';
  const list: Expr = { kind: 'ident', offset: call.offset, name };
  const keys = toList(call, list, [variable], undefined, key);
  return binding(call, name, target, at(call, 'lists.@sortByAssociatedKeys', [list, keys]));
}

/** An expression with a name for a value: a fold over nothing, for the sake of its accumulator. */
function binding(call: CallExpr, name: string, value: Expr, result: Expr): ComprehensionExpr {
  return {
    kind: 'comprehension',
    offset: call.offset,
    range: { kind: 'list', offset: call.offset, elements: [], optional: new Set() },
    variable: '#unused',
    accumulator: name,
    init: value,
    condition: literal(call, { type: 'bool', value: false }),
    step: { kind: 'ident', offset: call.offset, name },
    result,
  };
}

function fold(
  call: CallExpr,
  range: Expr,
  [first, second]: readonly (Expr | undefined)[],
  parts: Pick<ComprehensionExpr, 'init' | 'condition' | 'step' | 'result'>,
): Expr {
  const variable = variableName(first, 'argument must be a simple name', call);
  const variable2 = second === undefined ? undefined : variableName(second, 'argument must be a simple name', call);
  if (variable === variable2) fail(second ?? call, `duplicate variable name: ${variable}`);
  return {
    kind: 'comprehension',
    offset: call.offset,
    range,
    variable,
    variable2,
    accumulator: accumulatorName,
    ...parts,
  };
}

function variableName(arg: Expr | undefined, message: string, call: CallExpr): string {
  return arg?.kind === 'ident' ? arg.name : fail(arg ?? call, message);
}

function fail(at: Expr, message: string): never {
  throw new CelSyntaxError({ offset: at.offset, message });
}

function at(call: CallExpr, name: string, args: readonly Expr[]): Expr {
  return { kind: 'call', offset: call.offset, name, args };
}

function accumulator(call: CallExpr): Expr {
  return { kind: 'ident', offset: call.offset, name: accumulatorName };
}

function literal(call: CallExpr, value: Literal): Expr {
  return { kind: 'literal', offset: call.offset, literal: value };
}
