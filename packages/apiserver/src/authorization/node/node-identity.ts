// Who a kubelet says it is: `system:node:<name>` in the group `system:nodes`.

import type { User } from '../../server/user.ts';

const prefix = 'system:node:';

export const nodesGroup = 'system:nodes';

export interface NodeIdentity {
  /** Empty when the user is in the group but has no node's name. */
  readonly nodeName: string;
}

/** The node a user is, or undefined for everybody else. */
export function nodeIdentity(user: User): NodeIdentity | undefined {
  if (!user.username.startsWith(prefix) || !user.groups.includes(nodesGroup)) return undefined;
  return { nodeName: user.username.slice(prefix.length) };
}
