// A policy compiled: its conditions, variables, validations and audit annotations as programs. Compiled when the first request
// that matches comes, and kept as long as the policy does not change.

import { admissionVariables, type Cel, mutationLibrary } from '@homeostat/api';
import type {
  AuditAnnotation,
  MatchCondition,
  MutatingAdmissionPolicySpec,
  Mutation,
  ValidatingAdmissionPolicySpec,
  Validation,
  Variable,
} from '@homeostat/api/types/admissionregistration-v1';
import type { CelEnvironmentOptions, CelProgram, CelType } from '@homeostat/machinery/cel';

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

/** What policies of both sorts have. */
export interface SharedPrograms {
  readonly conditions: readonly Compiled[];
  readonly variables: readonly { readonly name: string; readonly value: Compiled }[];
}

export interface CompiledMutation {
  readonly patchType: 'ApplyConfiguration' | 'JSONPatch';
  readonly value: Compiled;
}

export interface MutationPrograms extends SharedPrograms {
  readonly mutations: readonly CompiledMutation[];
}

export interface PolicyPrograms extends SharedPrograms {
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly { readonly key: string; readonly value: Compiled }[];
}

type Compile = (expression?: string, hasAuthorizer?: boolean) => Compiled;

interface SharedSpec {
  readonly paramKind?: unknown;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
}

export function compilePolicy(cel: Cel, spec: ValidatingAdmissionPolicySpec): PolicyPrograms {
  const { compile, ...shared } = compileShared(cel, spec, {});
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
  return { ...shared, validations, annotations };
}

export function compileMutations(cel: Cel, spec: MutatingAdmissionPolicySpec): MutationPrograms {
  const { compile, ...shared } = compileShared(cel, spec, {
    libraries: [mutationLibrary(cel)],
    construct: (name, fields) =>
      cel.lazyStruct(name, new Map([...fields].map(([field, value]) => [field, () => ({ value, cost: 0 })]))),
  });
  const mutations = (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }: Mutation) => ({
    patchType: patchType === 'JSONPatch' ? ('JSONPatch' as const) : ('ApplyConfiguration' as const),
    value: compile((patchType === 'JSONPatch' ? jsonPatch : applyConfiguration)?.expression),
  }));
  return { ...shared, mutations };
}

function compileShared(
  cel: Cel,
  spec: SharedSpec,
  more: Omit<CelEnvironmentOptions, 'variables'>,
): SharedPrograms & { readonly compile: Compile } {
  const hasParams = spec.paramKind !== undefined;
  const types = new Map<string, CelType>();
  const compile: Compile = (expression = '', hasAuthorizer = true) => {
    const variables = admissionVariables(cel, { hasParams, hasAuthorizer, variables: types });
    const { program, error } = cel.createCelEnvironment({ ...more, variables }).compile(expression);
    return program === undefined ? { expression, problem: error } : { expression, program };
  };
  const conditions = (spec.matchConditions ?? []).map(({ expression }) => compile(expression));
  const variables = (spec.variables ?? []).map(({ name, expression }) => {
    const value = compile(expression);
    types.set(name, value.program?.type ?? cel.dynType);
    return { name, value };
  });
  return { compile, conditions, variables };
}
