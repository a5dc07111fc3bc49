// Who holds the default roles in a fresh cluster, and the default Roles inside kube-system and kube-public (facts of
// Kubernetes 1.36; spec/apiserver.md §17.1). Subjects are written `Group name`, `User name`, `ServiceAccount namespace/name`.

import type { CompactRole } from './compact-rule.ts';

/** ClusterRoleBindings to the ClusterRole of the same name. Controllers' are derived from their roles. */
export const clusterRoleBindings: Readonly<Record<string, readonly string[]>> = {
  'cluster-admin': ['Group system:masters'],
  'system:basic-user': ['Group system:authenticated'],
  'system:discovery': ['Group system:authenticated'],
  'system:kube-controller-manager': ['User system:kube-controller-manager'],
  'system:kube-dns': ['ServiceAccount kube-system/kube-dns'],
  'system:kube-scheduler': ['User system:kube-scheduler'],
  'system:monitoring': ['Group system:monitoring'],
  'system:node': [],
  'system:node-proxier': ['User system:kube-proxy'],
  'system:public-info-viewer': ['Group system:authenticated', 'Group system:unauthenticated'],
  'system:service-account-issuer-discovery': ['Group system:serviceaccounts'],
  'system:volume-scheduler': ['User system:kube-scheduler'],
};

/** Roles by `namespace/name`. */
export const roles: Readonly<Record<string, CompactRole>> = {
  'kube-public/system:controller:bootstrap-signer': {
    rules: [
      'get list watch | core | configmaps',
      'update | core | configmaps | cluster-info',
      'create patch update | core events.k8s.io | events',
    ],
  },
  'kube-system/extension-apiserver-authentication-reader': {
    rules: ['get list watch | core | configmaps | extension-apiserver-authentication'],
  },
  'kube-system/system::leader-locking-kube-controller-manager': {
    rules: [
      'create get list update watch | coordination.k8s.io | leases',
      'create get list update watch | coordination.k8s.io | leasecandidates',
    ],
  },
  'kube-system/system::leader-locking-kube-scheduler': {
    rules: [
      'create get list update watch | coordination.k8s.io | leases',
      'create get list update watch | coordination.k8s.io | leasecandidates',
    ],
  },
  'kube-system/system:controller:bootstrap-signer': { rules: ['get list watch | core | secrets'] },
  'kube-system/system:controller:cloud-provider': { rules: ['create get list watch | core | configmaps'] },
  'kube-system/system:controller:token-cleaner': {
    rules: ['delete get list watch | core | secrets', 'create patch update | core events.k8s.io | events'],
  },
};

/** RoleBindings by `namespace/name`, each to a Role of its namespace. */
export const roleBindings: Readonly<Record<string, { readonly role: string; readonly subjects: readonly string[] }>> = {
  'kube-public/system:controller:bootstrap-signer': {
    role: 'system:controller:bootstrap-signer',
    subjects: ['ServiceAccount kube-system/bootstrap-signer'],
  },
  'kube-system/system::extension-apiserver-authentication-reader': {
    role: 'extension-apiserver-authentication-reader',
    subjects: ['User system:kube-controller-manager', 'User system:kube-scheduler'],
  },
  'kube-system/system::leader-locking-kube-controller-manager': {
    role: 'system::leader-locking-kube-controller-manager',
    subjects: [
      'User system:kube-controller-manager',
      'ServiceAccount kube-system/kube-controller-manager',
      'ServiceAccount kube-system/leader-election-controller',
    ],
  },
  'kube-system/system::leader-locking-kube-scheduler': {
    role: 'system::leader-locking-kube-scheduler',
    subjects: ['User system:kube-scheduler', 'ServiceAccount kube-system/kube-scheduler'],
  },
  'kube-system/system:controller:bootstrap-signer': {
    role: 'system:controller:bootstrap-signer',
    subjects: ['ServiceAccount kube-system/bootstrap-signer'],
  },
  'kube-system/system:controller:cloud-provider': {
    role: 'system:controller:cloud-provider',
    subjects: ['ServiceAccount kube-system/cloud-provider'],
  },
  'kube-system/system:controller:token-cleaner': {
    role: 'system:controller:token-cleaner',
    subjects: ['ServiceAccount kube-system/token-cleaner'],
  },
};
