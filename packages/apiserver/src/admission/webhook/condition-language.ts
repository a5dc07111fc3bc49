// The port of match conditions: the expression language (CEL) in which webhooks say which requests they want.

import type { KubeObject } from '@homeostat/machinery';
import type { Authorizer } from '../../server/authorizer.ts';
import type { User } from '../../server/user.ts';

/** What an expression may refer to. */
export interface ConditionVariables {
  /** Null for DELETE. */
  readonly object: KubeObject | null;
  /** Null for CREATE and CONNECT. */
  readonly oldObject: KubeObject | null;
  /** An `admission.k8s.io/v1 AdmissionRequest` without its objects. */
  readonly request: Readonly<Record<string, unknown>>;
  /** For the variable `authorizer`: asked about this user. */
  readonly authorizer: Authorizer;
  readonly user: User;
  readonly signal: AbortSignal;
}

export interface Condition {
  /** @throws Error with the text of the evaluation's failure */
  holds(variables: ConditionVariables): Promise<boolean> | boolean;
}

export interface ConditionLanguage {
  /** @throws Error with the compiler's text */
  compile(expression: string): Condition;
}
