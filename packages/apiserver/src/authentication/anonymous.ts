// Requests without credentials: the user `system:anonymous`, who may do what RBAC says (in a fresh cluster: look at health
// and version). With `--anonymous-auth=false` there is no such user and the answer is 401.

import type { Authenticator } from '../server/authenticator.ts';
import { anonymousUser, type User } from '../server/user.ts';

export class Anonymous implements Authenticator {
  authenticate(): User {
    return anonymousUser;
  }
}
