// The identity a caller inside this process has stated. Only the in-process transport can set it: HTTP adapters build the
// peer themselves.

import type { ApiRequest } from '@homeostat/client';
import type { Authenticator } from '../server/authenticator.ts';
import { toUser, type User } from '../server/user.ts';

export class PeerUsers implements Authenticator {
  authenticate(request: ApiRequest): User | undefined {
    return request.peer?.user === undefined ? undefined : toUser(request.peer.user);
  }
}
