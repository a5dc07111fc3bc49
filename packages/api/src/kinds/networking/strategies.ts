// The strategies of networking.k8s.io/v1, by kind.

import type { StrategyMap } from '../strategy-map.ts';
import { ingressClassStrategy } from './ingress-class.ts';
import { ingressStrategy } from './ingress.ts';
import { ipAddressStrategy } from './ip-address.ts';
import { networkPolicyStrategy } from './network-policy.ts';
import { serviceCidrStrategy } from './service-cidr.ts';

export const networkingStrategies: StrategyMap = {
  IPAddress: ipAddressStrategy,
  Ingress: ingressStrategy,
  IngressClass: ingressClassStrategy,
  NetworkPolicy: networkPolicyStrategy,
  ServiceCIDR: serviceCidrStrategy,
};
