// A policy compiled: its conditions, variables, validations and audit annotations as programs. Compiled when the first request
// that matches comes, and kept as long as the policy does not change.

import { admissionVariables, type Cel } from '@homeostat/api';
import type {
  AuditAnnotation,
  MatchCondition,
  ValidatingAdmissionPolicySpec,
  Validation,
  Variable,
} from '@homeostat/api/types/admissionregistration-v1';
import type { CelProgram, CelType } from '@homeostat/machinery/cel';

/** A program, or why there is none: upstream's text. */
export type Compiled =
  | { readonly expression: string; readonly program: CelProgram; readonly problem?: undefined }
  | { readonly expression: string; readonly program?: undefined; readonly problem: string };

export interface CompiledValidation {
  readonly validation: Validation;
  readonly condition: Compiled;
  /** Undefined where there is none, or it does not compile: then the message is fixed. */
  readonly message: CelProgram | undefined;
}

export interface PolicyPrograms {
  readonly conditions: readonly Compiled[];
  readonly variables: readonly { readonly name: string; readonly value: Compiled }[];
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly { readonly key: string; readonly value: Compiled }[];
}

export function compilePolicy(cel: Cel, spec: ValidatingAdmissionPolicySpec): PolicyPrograms {
  const hasParams = spec.paramKind !== undefined;
  const types = new Map<string, CelType>();
  const compile = (expression = '', hasAuthorizer = true): Compiled => {
    const variables = admissionVariables(cel, { hasParams, hasAuthorizer, variables: types });
    const { program, error } = cel.createCelEnvironment({ variables }).compile(expression);
    return program === undefined ? { expression, problem: error } : { expression, program };
  };
  const conditions = (spec.matchConditions ?? []).map(({ expression }: MatchCondition) => compile(expression));
  const variables = (spec.variables ?? []).map(({ name, expression }: Variable) => {
    const value = compile(expression);
    types.set(name, value.program?.type ?? cel.dynType);
    return { name, value };
  });
  const validations = (spec.validations ?? []).map((validation: Validation) => ({
    validation,
    condition: compile(validation.expression),
    message:
      (validation.messageExpression ?? '') === '' ? undefined : compile(validation.messageExpression, false).program,
  }));
  const annotations = (spec.auditAnnotations ?? []).map(({ key, valueExpression }: AuditAnnotation) => ({
    key,
    value: compile(valueExpression),
  }));
  return { conditions, variables, validations, annotations };
}
