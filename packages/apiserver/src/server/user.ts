// Who asks: the identity that authentication established, in the shape everything after it uses.

import type { UserInfo } from '@homeostat/client';

export interface User {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** Fills in what a UserInfo leaves out. */
export function toUser(info: UserInfo): User {
  return { username: info.username, uid: info.uid ?? '', groups: info.groups ?? [], extra: info.extra ?? {} };
}

export const anonymousUser: User = {
  username: 'system:anonymous',
  uid: '',
  groups: ['system:unauthenticated'],
  extra: {},
};

/** The server's own identity, for what it writes through its own front door. */
export const loopbackUser: User = {
  username: 'system:apiserver',
  uid: '',
  groups: ['system:authenticated', 'system:masters'],
  extra: {},
};
