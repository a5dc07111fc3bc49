// Plan mode of an operator as a process: prints what it would do and says by the exit code whether that is anything.

import type { Operator } from '../operator/create-operator.ts';
import type { RehearseOperatorOptions } from '../rehearsal/rehearse-operator.ts';

export interface PlanOperatorOptions extends RehearseOperatorOptions {
  /** Default `text`. */
  readonly format?: 'text' | 'json';
  /** Where it goes; default the standard output. */
  readonly write?: (text: string) => void;
}

/**
 * Prints the plan of an operator; nothing is written to the cluster.
 *
 * @returns the exit code: 0 nothing would change, 2 there are writes, 1 a run would fail
 */
export async function planOperator(operator: Operator, options: PlanOperatorOptions = {}): Promise<0 | 1 | 2> {
  const { format = 'text', write = (text) => void process.stdout.write(text), ...rehearse } = options;
  const plan = await operator.rehearse(rehearse);
  write(format === 'json' ? `${JSON.stringify(plan, undefined, 2)}\n` : plan.toText());
  if (plan.counts.failed > 0) return 1;
  return plan.isEmpty ? 0 : 2;
}
