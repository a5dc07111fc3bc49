// Asks authenticators in order; the first that knows the user decides. Bad credentials without good ones are an error, even
// where nobody would need any: a wrong token is never anonymous (spec/apiserver.md §16).

import type { ApiRequest } from '@homeostat/client';
import type { Authenticator } from '../server/authenticator.ts';
import type { User } from '../server/user.ts';

export class UnionAuthenticator implements Authenticator {
  readonly #authenticators: readonly Authenticator[];
  readonly #fallback: Authenticator | undefined;

  /** `fallback` is asked only when no authenticator found credentials, good or bad. */
  constructor(authenticators: readonly Authenticator[], fallback?: Authenticator) {
    this.#authenticators = authenticators;
    this.#fallback = fallback;
  }

  async authenticate(request: ApiRequest, signal: AbortSignal): Promise<User | undefined> {
    const problems: unknown[] = [];
    for (const authenticator of this.#authenticators) {
      try {
        const user = await authenticator.authenticate(request, signal);
        if (user !== undefined) return user;
      } catch (error) {
        problems.push(error);
      }
    }
    if (problems.length > 0) throw problems.length === 1 ? problems[0] : new AggregateError(problems);
    return this.#fallback?.authenticate(request, signal);
  }
}

const authenticated = 'system:authenticated';

/** The user with the group everybody known is in. */
export function withAuthenticatedGroup(user: User): User {
  const { groups } = user;
  if (groups.includes(authenticated) || groups.includes('system:unauthenticated')) return user;
  return { ...user, groups: [...groups, authenticated] };
}
