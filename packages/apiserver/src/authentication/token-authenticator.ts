// The port behind every bearer token: whose is it. Audiences say for whom the token must be good (spec/apiserver.md §16).

import type { User } from '../server/user.ts';

export interface TokenIdentity {
  readonly user: User;
  /** Those of the asked audiences the token is good for. */
  readonly audiences: readonly string[];
}

export interface TokenAuthenticator {
  /**
   * The token's owner; undefined when the token is of no kind this authenticator knows.
   * @throws TokenError for a token of its kind that is not, or no longer, valid.
   */
  authenticateToken(
    token: string,
    audiences: readonly string[],
  ): Promise<TokenIdentity | undefined> | TokenIdentity | undefined;
}

/** Why a token is refused; TokenReview shows the text, 401 does not. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
}

/** The audiences of `wanted` that are in `offered`, in the order of `offered`. */
export function intersectAudiences(offered: readonly string[], wanted: readonly string[]): readonly string[] {
  return offered.filter((audience) => wanted.includes(audience));
}
