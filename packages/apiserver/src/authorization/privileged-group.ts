// Allows everything to members of one group, `system:masters`: the way in that no RBAC object can close.

import type { AuthorizationAttributes, AuthorizationResult, Authorizer } from '../server/authorizer.ts';

export const privilegedGroup = 'system:masters';

export class PrivilegedGroupAuthorizer implements Authorizer {
  authorize(attributes: AuthorizationAttributes): AuthorizationResult {
    return { decision: attributes.user.groups.includes(privilegedGroup) ? 'allow' : 'noOpinion' };
  }
}
