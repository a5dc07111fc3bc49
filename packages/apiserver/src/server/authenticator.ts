// The port of authentication: who sent a request. Implementations are in `authentication/`.

import type { ApiRequest } from '@homeostat/client';
import type { User } from './user.ts';

export interface Authenticator {
  /**
   * The user, or undefined when the request carries no credentials this authenticator knows.
   * The group `system:authenticated` is added by the chain, not here.
   *
   * @throws when credentials are there but bad: the answer is 401 unless another authenticator accepts the request.
   */
  authenticate(request: ApiRequest, signal: AbortSignal): Promise<User | undefined> | User | undefined;
}
