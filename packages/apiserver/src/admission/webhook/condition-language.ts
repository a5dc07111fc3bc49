// What match conditions need of the expression language (CEL): the plugins see only this.

import type { KubeObject } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { Authorizer } from '../../server/authorizer.ts';

/** What an expression may refer to. */
export interface ConditionVariables {
  /** Null for DELETE. */
  readonly object: KubeObject | null;
  /** Null for CREATE and CONNECT. */
  readonly oldObject: KubeObject | null;
  /** An `admission.k8s.io/v1 AdmissionRequest` without its objects. */
  readonly request: Readonly<Record<string, unknown>>;
  /** For the variable `authorizer`: asked about the request's user. */
  readonly authorizer: Authorizer;
  readonly attributes: AdmissionAttributes;
}

/** What the conditions of one webhook may still spend on one request. */
export interface ConditionBudget {
  left: number;
}

export interface Condition {
  /** @throws Error with the text of the evaluation's failure */
  holds(variables: ConditionVariables, budget: ConditionBudget): Promise<boolean>;
}

export interface ConditionLanguage {
  readonly costBudget: number;
  /** @throws Error with the compiler's text */
  compile(expression: string): Condition;
}

/** Loads the language; called when the first condition has to be evaluated. */
export type LoadConditionLanguage = () => Promise<ConditionLanguage>;
