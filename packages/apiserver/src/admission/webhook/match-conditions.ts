// The conditions of one webhook: all must hold. One that is false settles the matter whatever the others do; failures count
// only when none is false, and then the failure policy decides (spec/apiserver.md §15.3).

import type { MatchCondition } from '@homeostat/api/types/admissionregistration-v1';
import type { Condition, ConditionLanguage, ConditionVariables } from './condition-language.ts';

export interface MatchConditionsOptions {
  /** Absent: every condition fails. */
  readonly language: ConditionLanguage | undefined;
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

export class MatchConditions {
  readonly #conditions: readonly Compiled[];
  readonly #ignoresFailures: boolean;

  constructor(conditions: readonly MatchCondition[], { language, ignoresFailures }: MatchConditionsOptions) {
    this.#conditions = conditions.map(({ expression }) => compile(expression, language));
    this.#ignoresFailures = ignoresFailures;
  }

  async match(variables: ConditionVariables): Promise<MatchResult> {
    const problems: string[] = [];
    for (const { condition, expression, problem } of this.#conditions) {
      if (condition === undefined) {
        problems.push(problem);
        continue;
      }
      try {
        if (!(await condition.holds(variables))) return { matches: false, failures: problems.length };
      } catch (error) {
        problems.push(`expression '${expression}' resulted in error: ${textOf(error)}`);
      }
    }
    const failures = problems.length;
    if (failures === 0) return { matches: true, failures };
    if (this.#ignoresFailures) return { matches: false, failures };
    const texts = [...new Set(problems)];
    return { matches: false, failures, refusal: texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]` };
  }
}

function compile(expression: string, language: ConditionLanguage | undefined): Compiled {
  try {
    if (language === undefined) throw new Error('this server evaluates no expressions');
    return { expression, condition: language.compile(expression), problem: '' };
  } catch (error) {
    return { expression, condition: undefined, problem: `compilation error: ${textOf(error)}` };
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
