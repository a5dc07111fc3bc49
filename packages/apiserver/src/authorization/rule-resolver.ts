// The port behind SelfSubjectRulesReview: what an authorizer can say about everything a user may do in a namespace.

import type { User } from '../server/user.ts';
import type { PolicyRule } from './rbac/policy-rule.ts';

export interface ResolvedRules {
  readonly resourceRules: readonly PolicyRule[];
  readonly nonResourceRules: readonly PolicyRule[];
  /** Whether the authorizer allows more than it can enumerate. */
  readonly incomplete: boolean;
  readonly error?: string;
}

export interface RuleResolver {
  resolveRules(user: User, namespace: string): ResolvedRules;
}
