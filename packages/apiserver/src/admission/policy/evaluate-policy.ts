// Runs a policy on one request with one set of parameters: conditions first, then every validation and audit annotation, within
// one budget (spec/apiserver.md §15.4).

import type { Cel } from '@homeostat/api';
import { type KubeObject, utf8Length } from '@homeostat/machinery';
import type { CelProgram, EvaluateResult } from '@homeostat/machinery/cel';
import type { Asking } from '../authorization-questions.ts';
import type { Compiled, CompiledValidation, PolicyPrograms, SharedPrograms } from './policy-programs.ts';

/** What a request is judged by. */
export interface PolicyInput {
  readonly object: KubeObject | null;
  readonly oldObject: KubeObject | null;
  readonly request: Readonly<Record<string, unknown>>;
  readonly params: KubeObject | null;
  readonly namespaceObject: Readonly<Record<string, unknown>> | null;
  readonly resource: {
    readonly group: string;
    readonly resource: string;
    readonly subresource: string;
    readonly namespace: string;
    readonly name: string;
  };
  readonly asking: Asking;
}

/** What a policy finds wrong. */
export interface Violation {
  readonly message: string;
  /** Empty: the default. */
  readonly reason: string;
  /** The expression could not be evaluated, so the failure policy decides. */
  readonly isFailure: boolean;
}

export interface PolicyOutcome {
  readonly violations: readonly Violation[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
}

/** Upstream's budget for all expressions of a policy on one request. */
export const policyCostBudget = 10_000_000;
const conditionsCostBudget = 2_500_000;
const expressionCostMax = 1_000_000;
const messageBytesMax = 5 * 1024;
const annotationBytesMax = 10 * 1024;
const exhaustedText = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** Undefined: the policy's conditions do not hold. */
export async function evaluatePolicy(
  cel: Cel,
  programs: PolicyPrograms,
  input: PolicyInput,
): Promise<PolicyOutcome | undefined> {
  const matched = await conditionsHold(cel, programs, input);
  if (!matched.holds) return undefined;
  if (matched.problem !== undefined) {
    return { violations: [{ message: matched.problem, reason: '', isFailure: true }], annotations: [] };
  }
  const run = new PolicyRun(cel, programs, input, policyCostBudget);
  const violations: Violation[] = [];
  for (const validation of programs.validations) {
    const violation = await validate(validation, run);
    if (violation !== undefined) violations.push(violation);
  }
  const annotations: { key: string; value: string }[] = [];
  for (const { key, value } of programs.annotations) {
    const result = await run.evaluate(value);
    if (result.error !== undefined) violations.push({ message: result.error, reason: '', isFailure: true });
    else if (typeof result.value === 'string' && result.value.trim() !== '')
      annotations.push({ key, value: result.value.slice(0, annotationBytesMax) });
  }
  return { violations, annotations };
}

/** Whether all conditions of a policy hold; `problem`: that can't be said. */
export async function conditionsHold(
  cel: Cel,
  programs: SharedPrograms,
  input: PolicyInput,
): Promise<{ readonly holds: boolean; readonly problem?: string }> {
  const run = new PolicyRun(cel, programs, input, conditionsCostBudget);
  const problems: string[] = [];
  for (const condition of programs.conditions) {
    const result = await run.evaluate(condition);
    if (result.error !== undefined) problems.push(result.error);
    else if (result.value !== true) return { holds: false };
  }
  if (problems.length === 0) return { holds: true };
  return { holds: true, problem: problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]` };
}

async function validate(
  { validation, condition, message }: CompiledValidation,
  run: PolicyRun,
): Promise<Violation | undefined> {
  const result = await run.evaluate(condition);
  if (result.error !== undefined) return { message: result.error, reason: '', isFailure: true };
  if (result.value === true) return undefined;
  const said = message === undefined ? undefined : await run.message(message);
  const fixed = (validation.message ?? '').trim();
  const text = said ?? (fixed === '' ? `failed expression: ${(validation.expression ?? '').trim()}` : fixed);
  return { message: text, reason: validation.reason ?? '', isFailure: false };
}

/** One pass of expressions over the same input and budget. */
export class PolicyRun {
  readonly #bindings: Readonly<Record<string, unknown>>;
  readonly #asking: Asking;
  #left: number;

  constructor(cel: Cel, programs: SharedPrograms, input: PolicyInput, budget: number) {
    this.#left = budget;
    this.#asking = input.asking;
    const { object, oldObject, request, params, namespaceObject, resource, asking } = input;
    const bindings: Record<string, unknown> = {
      object,
      oldObject,
      request,
      params,
      namespaceObject,
      authorizer: cel.authorizerValue(asking.ask),
      'authorizer.requestResource': cel.resourceCheckValue(asking.ask, resource),
    };
    const fields = programs.variables.map(({ name, value }) => [name, () => this.#run(value, bindings)] as const);
    bindings['variables'] = cel.lazyStruct('kubernetes.variables', new Map(fields));
    this.#bindings = bindings;
  }

  /** An error is told with the expression. */
  async evaluate(compiled: Compiled): Promise<EvaluateResult> {
    const result = await this.#asking.untilAnswered(() => this.#run(compiled, this.#bindings));
    if (result.error === undefined) return result;
    const text = this.#left < 0 ? exhaustedText : result.error;
    return {
      ...result,
      error: compiled.problem === undefined ? `expression '${compiled.expression}' resulted in error: ${text}` : text,
    };
  }

  /** A message that fits in a line, or undefined. */
  async message(program: CelProgram): Promise<string | undefined> {
    const { value } = await this.#asking.untilAnswered(() => this.#run({ expression: '', program }, this.#bindings));
    const text = typeof value === 'string' ? value.trim() : '';
    return text === '' || text.includes('\n') || utf8Length(text) > messageBytesMax ? undefined : text;
  }

  #run({ program, problem }: Compiled, bindings: Readonly<Record<string, unknown>>): EvaluateResult {
    if (program === undefined) return { error: `compilation error: ${problem}`, cost: 0, exhausted: false };
    if (this.#left < 0) return { error: exhaustedText, cost: 0, exhausted: true };
    const result = program.evaluate(bindings, { costBudget: Math.min(expressionCostMax, this.#left) });
    this.#left -= result.exhausted === true ? this.#left + 1 : result.cost;
    return result;
  }
}
