// The port of CEL: an environment declares variables and libraries; it compiles expressions to programs, and programs
// evaluate against JSON values within a budget. Nothing outside this folder sees the syntax tree or run-time values.

import { checkCel, type CheckedExpr, type Declarations } from './checker.ts';
import { CelCostError, Evaluation } from './evaluate.ts';
import type { Library, Overload } from './functions.ts';
import { type CelIssue, formatIssues } from './issues.ts';
import { fromJson } from './json-values.ts';
import { parseCel } from './parser.ts';
import { planError } from './plan-errors.ts';
import { standardLibrary } from './standard.ts';
import { type CelType, typeName } from './types.ts';
import { CelError, type CelValue } from './values.ts';
import { validateLiterals } from './validate-literals.ts';

/** Upstream's budget for one expression at run time. */
export const perCallCostLimit = 1_000_000;

export interface CelEnvironmentOptions {
  /** Typed names; `a.b` may be a name. */
  readonly variables: Readonly<Record<string, CelType>> | ReadonlyMap<string, CelType>;
  /** What there is beside the standard library and Kubernetes' own. */
  readonly libraries?: readonly Library[];
  /** Makes a value for `Name{…}` of a type that a library declares. */
  readonly construct?: (typeName: string, fields: ReadonlyMap<string, CelValue>) => CelValue;
}

export interface EvaluateOptions {
  /** Cost units that may be spent; default `perCallCostLimit`. */
  readonly costBudget?: number;
}

export type EvaluateResult =
  | { readonly value: CelValue; readonly cost: number; readonly error?: undefined; readonly exhausted?: undefined }
  | {
      readonly value?: undefined;
      readonly cost: number;
      /** Upstream's text, such as `no such key: id`. */
      readonly error: string;
      /** The budget ran out. */
      readonly exhausted: boolean;
    };

/** JSON by variable name, or a function that gives it when it is asked for. CEL values pass as they are. */
export type CelBindings = Readonly<Record<string, unknown>>;

export interface CelProgram {
  readonly expression: string;
  readonly type: CelType;
  /** The type's name as Kubernetes prints it. */
  readonly typeName: string;
  /** For the cost estimator. */
  readonly checked: CheckedExpr;
  /** Whether the expression mentions the variable. */
  readonly uses: (variable: string) => boolean;
  /** Never throws for what the expression does; always ends, because the budget does. */
  readonly evaluate: (bindings: CelBindings, options?: EvaluateOptions) => EvaluateResult;
}

export type CompileResult =
  | { readonly program: CelProgram; readonly error?: undefined }
  | {
      readonly program?: undefined;
      /**
       * `compilation failed: ERROR: <input>:1:5: …` with the line and a pointer; or `program instantiation failed: …`, for
       * constants that can't be computed.
       */
      readonly error: string;
      readonly issues: readonly CelIssue[];
    };

export interface CelEnvironment {
  /**
   * Parses and checks an expression.
   *
   *     const cel = createCelEnvironment({ variables: { self: listType(intType) } });
   *     const { program } = cel.compile('self.all(n, n > 0)');
   *     program?.evaluate({ self: [1, 2] }).value; // true
   */
  readonly compile: (expression: string) => CompileResult;
}

export function createCelEnvironment(options: CelEnvironmentOptions): CelEnvironment {
  const declarations = declare(options);
  return {
    compile(expression) {
      const parsed = parseCel(expression);
      if (parsed.issues !== undefined) return failed(expression, parsed.issues);
      const { checked, issues } = checkCel(parsed.expr, declarations);
      if (issues !== undefined) return failed(expression, issues);
      const literalIssues = validateLiterals(checked);
      if (literalIssues.length > 0) return failed(expression, literalIssues);
      const unready = planError(checked);
      if (unready !== undefined) return { error: `program instantiation failed: ${unready}`, issues: [] };
      return { program: createProgram(expression, checked, options) };
    },
  };
}

function failed(expression: string, issues: readonly CelIssue[]): CompileResult {
  return { error: `compilation failed: ${formatIssues(expression, issues)}`, issues };
}

function createProgram(expression: string, checked: CheckedExpr, options: CelEnvironmentOptions): CelProgram {
  const names = new Set(checked.qualified.values());
  const declared = options.variables instanceof Map ? options.variables : new Map(Object.entries(options.variables));
  return {
    expression,
    checked,
    type: checked.type,
    typeName: typeName(checked.type),
    uses: (variable) => names.has(variable),
    evaluate(bindings, { costBudget = perCallCostLimit } = {}) {
      const variable = (name: string): CelValue | undefined => {
        if (!declared.has(name) || !Object.hasOwn(bindings, name)) return undefined;
        const bound = bindings[name];
        return fromJson(typeof bound === 'function' ? (bound as () => unknown)() : bound, declared.get(name));
      };
      const evaluation = new Evaluation(checked, { variable, costBudget, construct: options.construct });
      try {
        return { value: evaluation.run(), cost: evaluation.cost };
      } catch (error) {
        if (error instanceof CelCostError) return { error: error.message, cost: evaluation.cost, exhausted: true };
        // A text or a list beyond what the engine can hold is beyond any budget.
        if (error instanceof RangeError)
          return { error: new CelCostError().message, cost: costBudget, exhausted: true };
        if (error instanceof CelError) return { error: error.message, cost: evaluation.cost, exhausted: false };
        throw error;
      }
    },
  };
}

function declare({ variables, libraries = [] }: CelEnvironmentOptions): Declarations {
  const all = [standardLibrary, ...libraries];
  const own = new Map<string, Overload[]>();
  for (const overload of libraries.flatMap((library) => library.overloads)) {
    const known = own.get(overload.name) ?? [...(standardFunctions().get(overload.name) ?? [])];
    own.set(overload.name, [...known, overload]);
  }
  const functions = libraries.length === 0 ? standardFunctions() : new Map([...standardFunctions(), ...own]);
  return {
    variables:
      variables instanceof Map ? variables : new Map(Object.entries(variables as Readonly<Record<string, CelType>>)),
    functions,
    typeNamed: (name) => all.map(({ types }) => types?.(name)).find((type) => type !== undefined),
  };
}

let standard: ReadonlyMap<string, readonly Overload[]> | undefined;

function standardFunctions(): ReadonlyMap<string, readonly Overload[]> {
  standard ??= Map.groupBy(standardLibrary.overloads, ({ name }) => name);
  return standard;
}
