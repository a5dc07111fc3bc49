// The port of authorization: may this user do this. Implementations are in `authorization/`.

import type { User } from './user.ts';

export interface AuthorizationAttributes {
  readonly user: User;
  readonly verb: string;
  readonly isResourceRequest: boolean;
  /** For non-resource requests. */
  readonly path: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Raw selectors as sent; empty when there are none. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface AuthorizationResult {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** Goes into the 403 text and the audit annotation. */
  readonly reason?: string;
  /** What went wrong while deciding; the decision stands. */
  readonly error?: string;
}

export interface Authorizer {
  authorize(
    attributes: AuthorizationAttributes,
    signal?: AbortSignal,
  ): Promise<AuthorizationResult> | AuthorizationResult;
}
