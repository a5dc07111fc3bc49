// The modes AlwaysAllow and AlwaysDeny.

import type { AuthorizationResult, Authorizer } from '../server/authorizer.ts';
import type { ResolvedRules, RuleResolver } from './rule-resolver.ts';

export class AlwaysAllowAuthorizer implements Authorizer, RuleResolver {
  authorize(): AuthorizationResult {
    return { decision: 'allow' };
  }

  resolveRules(): ResolvedRules {
    return {
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    };
  }
}

export class AlwaysDenyAuthorizer implements Authorizer, RuleResolver {
  authorize(): AuthorizationResult {
    return { decision: 'noOpinion', reason: 'Everything is forbidden.' };
  }

  resolveRules(): ResolvedRules {
    return { resourceRules: [], nonResourceRules: [], incomplete: false };
  }
}
