// Who the components are to the API server. The names are upstream's: they decide what RBAC lets each do, and show in
// managedFields and audit.

import type { UserInfo } from '@homeostat/client';

const authenticated = 'system:authenticated';

export const adminUser: UserInfo = { username: 'kubernetes-admin', groups: ['system:masters', authenticated] };
export const controllerManagerUser: UserInfo = { username: 'system:kube-controller-manager', groups: [authenticated] };
export const schedulerUser: UserInfo = { username: 'system:kube-scheduler', groups: [authenticated] };

/** One node agent. */
export function nodeUser(node: string): UserInfo {
  return { username: `system:node:${node}`, groups: ['system:nodes', authenticated] };
}

/** A controller's own account in kube-system. */
export function controllerUser(serviceAccount: string): UserInfo {
  return {
    username: `system:serviceaccount:kube-system:${serviceAccount}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', authenticated],
  };
}

/**
 * The pool of simulated nodes reads all pods through one informer, which no single node may: its reads are those of an
 * administrator, its writes are each node's own.
 */
export const nodePoolUser: UserInfo = {
  username: 'system:homeostat:node-pool',
  groups: ['system:masters', authenticated],
};
