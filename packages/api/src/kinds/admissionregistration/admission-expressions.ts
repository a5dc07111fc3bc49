// The expressions of admission (match conditions of webhooks): what they may refer to, and what they must give. Loads the
// expression language; import it through `load-expressions.ts`.

import * as cel from '@homeostat/machinery/cel';
import { admissionVariables } from './admission-variables.ts';

/** A compiled condition, or why it is none: upstream's text. */
export type CompiledCondition =
  | { readonly program: cel.CelProgram; readonly problem?: undefined }
  | { readonly program?: undefined; readonly problem: string };

/** Units that all conditions of one webhook may spend on one request. */
export const matchConditionsCostBudget = 2_500_000;

export const { authorizerValue, resourceCheckValue } = cel;

let environment: cel.CelEnvironment | undefined;

/** Never throws. The text of an expression of another type is `must evaluate to bool but got int`. */
export function compileMatchCondition(expression: string): CompiledCondition {
  environment ??= cel.createCelEnvironment({ variables: admissionVariables(cel) });
  const { program, error } = environment.compile(expression);
  if (program === undefined) return { problem: error };
  if (program.type.kind !== 'bool') return { problem: `must evaluate to bool but got ${program.typeName}` };
  return { program };
}
