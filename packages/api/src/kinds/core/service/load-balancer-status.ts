// The status of load balancers, of Services and Ingresses: where they can be reached.

import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isDns1123Subdomain,
  required,
} from '@homeostat/machinery';
import type { LoadBalancerStatus, ServiceSpec } from '@homeostat/api/types/core-v1';
import { parseIpSloppy, validateIp } from '../../rules/addresses.ts';
import { pushInvalid, validateSupported } from '../../rules/values.ts';

export function validateLoadBalancerStatus(
  status: LoadBalancerStatus | undefined,
  old: LoadBalancerStatus | undefined,
  spec: ServiceSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  const ingresses = status?.ingress ?? [];
  const at = path.child('ingress');
  if (spec.type !== 'LoadBalancer' && ingresses.length > 0) {
    errors.push(forbidden(at, "may only be used when `spec.type` is 'LoadBalancer'"));
    return;
  }
  const oldIps = (old?.ingress ?? []).map(({ ip = '' }) => ip).filter((ip) => ip !== '');
  for (const [index, { ip = '', ipMode, hostname = '' }] of ingresses.entries()) {
    const ingressPath = at.index(index);
    if (ip !== '') validateIp(ip, ingressPath.child('ip'), errors, oldIps);
    const modePath = ingressPath.child('ipMode');
    if (ipMode === undefined) {
      if (ip !== '') errors.push(required(modePath, 'must be specified when `ip` is set'));
    } else if (ip === '') errors.push(forbidden(modePath, 'may not be specified when `ip` is not set'));
    else validateSupported(ipMode, ['Proxy', 'VIP'], modePath, errors);
    if (hostname === '') continue;
    pushInvalid(isDns1123Subdomain(hostname), hostname, ingressPath.child('hostname'), errors);
    if (parseIpSloppy(hostname) !== undefined) {
      errors.push(invalid(ingressPath.child('hostname'), hostname, 'must be a DNS name, not an IP address'));
    }
  }
}
