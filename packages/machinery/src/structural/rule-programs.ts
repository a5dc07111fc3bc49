// The rules of a schema node, compiled once: programs over `self` and `oldSelf`, and what keeps a rule from compiling.

import { createCelEnvironment, type CelProgram } from '../cel/environment.ts';
import { type CelType, dynType, optionalType } from '../cel/types.ts';
import { declarationOf } from './rule-declarations.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';

export interface RuleProgram {
  readonly rule: ValidationRule;
  /** What `self` is declared as, with sizes. */
  readonly self: CelType;
  /** Undefined where `error` says why. */
  readonly program: CelProgram | undefined;
  readonly error: string | undefined;
  /** Undefined where there is none, or `messageError` says why. */
  readonly message: CelProgram | undefined;
  readonly messageError: string | undefined;
  /** The rule compares with the old value: it runs on updates only, unless `optionalOldSelf`. */
  readonly isTransition: boolean;
}

const compiled = new WeakMap<StructuralSchema, readonly RuleProgram[]>();

/**
 * The programs of a node's rules, in their order.
 *
 * @param isResource - the node is the root of a custom resource
 */
export function ruleProgramsOf(schema: StructuralSchema, isResource: boolean): readonly RuleProgram[] {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const programs = schema.validations.map((rule) => compileRule(rule, schema, isResource));
  compiled.set(schema, programs);
  return programs;
}

function compileRule(rule: ValidationRule, schema: StructuralSchema, isResource: boolean): RuleProgram {
  const self = declarationOf(schema, isResource)?.type ?? dynType;
  const oldSelf = rule.optionalOldSelf === true ? optionalType(self) : self;
  const environment = createCelEnvironment({ variables: { self, oldSelf } });
  const main = environment.compile(rule.rule);
  const wrongType = main.program !== undefined && main.program.type.kind !== 'bool';
  const message =
    rule.messageExpression === undefined || rule.messageExpression === ''
      ? undefined
      : environment.compile(rule.messageExpression);
  const wrongMessage = message?.program !== undefined && message.program.type.kind !== 'string';
  return {
    rule,
    self,
    program: wrongType ? undefined : main.program,
    error: wrongType ? 'cel expression must evaluate to a bool' : main.error,
    message: wrongMessage ? undefined : message?.program,
    messageError: wrongMessage
      ? 'messageExpression must evaluate to a string'
      : message?.error === undefined
        ? undefined
        : `messageExpression ${message.error.replace(/^program instantiation/, 'instantiation')}`,
    isTransition: main.program?.uses('oldSelf') === true,
  };
}
