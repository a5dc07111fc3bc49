// The RBAC authorizer: allows what some binding of the user allows, and has no opinion otherwise. Names the binding
// in its reason. Spec: spec/apiserver.md §17.

import type { AuthorizationAttributes, AuthorizationResult } from '../../server/authorizer.ts';
import type { User } from '../../server/user.ts';
import type { ResolvedRules, RuleResolver } from '../rule-resolver.ts';
import { ruleAllows } from './policy-rule.ts';
import { describeSource, type RbacPolicy } from './rbac-policy.ts';

export class RbacAuthorizer implements RuleResolver {
  readonly #policy: RbacPolicy;

  constructor(policy: RbacPolicy) {
    this.#policy = policy;
  }

  authorize(attributes: AuthorizationAttributes): AuthorizationResult {
    const missing: string[] = [];
    for (const visit of this.#policy.rulesFor(attributes.user, attributes.namespace)) {
      if ('missing' in visit) missing.push(visit.missing);
      else if (ruleAllows(visit.rule, attributes)) {
        return { decision: 'allow', reason: `RBAC: allowed by ${describeSource(visit.source)}` };
      }
    }
    if (missing.length === 0) return { decision: 'noOpinion' };
    return { decision: 'noOpinion', reason: `RBAC: ${joinErrors(missing)}` };
  }

  resolveRules(user: User, namespace: string): ResolvedRules {
    const rules = [];
    const missing: string[] = [];
    for (const visit of this.#policy.rulesFor(user, namespace)) {
      if ('missing' in visit) missing.push(visit.missing);
      else rules.push(visit.rule);
    }
    return {
      resourceRules: rules.filter((rule) => (rule.resources ?? []).length > 0),
      nonResourceRules: rules.filter((rule) => (rule.nonResourceURLs ?? []).length > 0),
      incomplete: false,
      ...(missing.length === 0 ? {} : { error: joinErrors(missing) }),
    };
  }
}

/** Upstream's aggregate: equal texts once, brackets around several. */
export function joinErrors(texts: readonly string[]): string {
  const unique = [...new Set(texts)];
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`;
}
