// The strategies of rbac.authorization.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { clusterRoleBindingStrategy, roleBindingStrategy } from './role-binding.ts';
import { clusterRoleStrategy, roleStrategy } from './role.ts';

export const rbacStrategies: StrategyMap = {
  ClusterRole: clusterRoleStrategy,
  ClusterRoleBinding: clusterRoleBindingStrategy,
  Role: roleStrategy,
  RoleBinding: roleBindingStrategy,
};
