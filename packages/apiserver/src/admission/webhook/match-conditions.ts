// The conditions of one webhook: all must hold. One that is false settles the matter whatever the others do; failures count
// only when none is false, and then the failure policy decides (spec/apiserver.md §15.3).

import type { MatchCondition } from '@homeostat/api/types/admissionregistration-v1';
import type { Condition, ConditionLanguage, ConditionVariables, LoadConditionLanguage } from './condition-language.ts';

export interface MatchConditionsOptions {
  readonly language: LoadConditionLanguage;
  readonly ignoresFailures: boolean;
}

export interface MatchResult {
  readonly matches: boolean;
  /** Text with which the request is refused: failures under the policy `Fail`. */
  readonly refusal?: string;
  /** Conditions that could not be evaluated. */
  readonly failures: number;
}

interface Compiled {
  readonly expression: string;
  readonly condition: Condition | undefined;
  readonly problem: string;
}

interface Ready {
  readonly language: ConditionLanguage;
  readonly conditions: readonly Compiled[];
}

export class MatchConditions {
  readonly #sources: readonly MatchCondition[];
  readonly #options: MatchConditionsOptions;
  #ready: Promise<Ready> | undefined;

  constructor(conditions: readonly MatchCondition[], options: MatchConditionsOptions) {
    this.#sources = conditions;
    this.#options = options;
  }

  async match(variables: ConditionVariables): Promise<MatchResult> {
    const { language, conditions } = await (this.#ready ??= this.#compile());
    const problems: string[] = [];
    const budget = { left: language.costBudget };
    for (const { condition, expression, problem } of conditions) {
      if (condition === undefined) {
        problems.push(problem);
        continue;
      }
      try {
        if (!(await condition.holds(variables, budget))) return { matches: false, failures: 0 };
      } catch (error) {
        problems.push(`expression '${expression}' resulted in error: ${textOf(error)}`);
      }
    }
    const failures = problems.length;
    if (failures === 0) return { matches: true, failures };
    if (this.#options.ignoresFailures) return { matches: false, failures };
    const texts = [...new Set(problems)];
    return { matches: false, failures, refusal: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]` };
  }

  async #compile(): Promise<Ready> {
    const language = await this.#options.language();
    return { language, conditions: this.#sources.map(({ expression }) => compile(expression, language)) };
  }
}

function compile(expression: string, language: ConditionLanguage): Compiled {
  try {
    return { expression, condition: language.compile(expression), problem: '' };
  } catch (error) {
    return { expression, condition: undefined, problem: `compilation error: ${textOf(error)}` };
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
