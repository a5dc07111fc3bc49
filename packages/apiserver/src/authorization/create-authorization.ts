// Puts the authorizers together as `--authorization-mode` asks, and hands out what else rests on them: reviews,
// impersonation, the escalation check. Composition only.

import type { AdmissionPlugin } from '../server/admission.ts';
import type { Authorizer } from '../server/authorizer.ts';
import type { ServerHost } from '../server/server-host.ts';
import type { VirtualResource } from '../server/virtual-resource.ts';
import { AlwaysAllowAuthorizer, AlwaysDenyAuthorizer } from './fixed-authorizer.ts';
import { followNodeGraph, followRbacPolicy } from './follow-policy.ts';
import { Impersonator } from './impersonation/impersonator.ts';
import { NodeAuthorizer } from './node/node-authorizer.ts';
import { NodeGraph } from './node/node-graph.ts';
import { PrivilegedGroupAuthorizer } from './privileged-group.ts';
import { nodeRules } from './rbac/bootstrap-policy.ts';
import { EscalationCheck } from './rbac/escalation-check.ts';
import { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { RbacPolicy } from './rbac/rbac-policy.ts';
import { createAccessReviews } from './reviews/access-reviews.ts';
import { createRulesReview } from './reviews/rules-review.ts';
import type { RuleResolver } from './rule-resolver.ts';
import { UnionAuthorizer } from './union-authorizer.ts';

export type AuthorizationMode = 'Node' | 'RBAC' | 'AlwaysAllow' | 'AlwaysDeny';

export const authorizationModes: readonly AuthorizationMode[] = ['Node', 'RBAC', 'AlwaysAllow', 'AlwaysDeny'];

export interface AuthorizationOptions {
  /** Asked in this order; the first that allows or denies decides. Default: Node, RBAC. */
  readonly modes?: readonly AuthorizationMode[];
}

export interface Authorization {
  readonly authorizer: Authorizer;
  /** SubjectAccessReview and its kin. */
  readonly virtualResources: readonly VirtualResource[];
  /** To run as the last mutating plugin; absent without RBAC. */
  readonly escalationCheck: AdmissionPlugin | undefined;
  readonly impersonator: Impersonator;
  /** Stops following stored objects. */
  close(): void;
}

/** Reads `--authorization-mode`. @throws Error naming the unknown mode and the known ones. */
export function parseAuthorizationModes(text: string): readonly AuthorizationMode[] {
  return text.split(',').map((word) => {
    const mode = authorizationModes.find((each) => each === word);
    if (mode === undefined) {
      throw new Error(`Cannot use authorization mode "${word}": expected one of ${authorizationModes.join(', ')}`);
    }
    return mode;
  });
}

export function createAuthorization(
  host: Pick<ServerHost, 'reader' | 'resources'>,
  options: AuthorizationOptions = {},
): Authorization {
  const modes = options.modes ?? ['Node', 'RBAC'];
  const stops: (() => void)[] = [];
  let policy: RbacPolicy | undefined;
  const authorizers: (Authorizer & Partial<RuleResolver>)[] = [new PrivilegedGroupAuthorizer()];
  for (const mode of modes) {
    switch (mode) {
      case 'Node': {
        const graph = new NodeGraph();
        stops.push(followNodeGraph(host, graph));
        authorizers.push(new NodeAuthorizer(graph, nodeRules()));
        break;
      }
      case 'RBAC':
        policy = new RbacPolicy();
        stops.push(followRbacPolicy(host, policy));
        authorizers.push(new RbacAuthorizer(policy));
        break;
      case 'AlwaysAllow':
        authorizers.push(new AlwaysAllowAuthorizer());
        break;
      case 'AlwaysDeny':
        authorizers.push(new AlwaysDenyAuthorizer());
        break;
    }
  }
  const authorizer = new UnionAuthorizer(authorizers);
  return {
    authorizer,
    virtualResources: [...createAccessReviews(authorizer), createRulesReview(authorizer)],
    escalationCheck: policy === undefined ? undefined : new EscalationCheck(policy, authorizer),
    impersonator: new Impersonator(authorizer),
    close: () => stops.forEach((stop) => stop()),
  };
}
