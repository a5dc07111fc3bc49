// The common expression language as Kubernetes speaks it: entry point `@homeostat/machinery/cel`.
// Import it with `import()` where rules are rare: a server without rules then never loads it.

export type { CelIssue } from './cel/issues.ts';
export {
  type CelBindings,
  type CelEnvironment,
  type CelEnvironmentOptions,
  type CelProgram,
  type CompileResult,
  createCelEnvironment,
  type EvaluateOptions,
  type EvaluateResult,
  perCallCostLimit,
} from './cel/environment.ts';
export { escapeField, unescapeField } from './cel/field-names.ts';
export type { Library } from './cel/functions.ts';
export {
  type AuthorizationAnswer,
  type AuthorizationQuestion,
  authorizerValue,
  type CelAuthorizer,
  resourceCheckValue,
} from './cel/libraries/authorizer.ts';
export { overloadsOf as declareFunction } from './cel/functions.ts';
export { lazyStruct } from './cel/lazy-struct.ts';
export { toJson } from './cel/to-json.ts';
export {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  stringType,
  structType,
  timestampType,
  typeName,
  typeType,
  uintType,
} from './cel/types.ts';
export type { CelValue } from './cel/values.ts';
export { createRuleChecks } from './structural/rule-definition-errors.ts';
export { validateRules, type ValidateRulesOptions, type ValidateRulesResult } from './structural/validate-rules.ts';
