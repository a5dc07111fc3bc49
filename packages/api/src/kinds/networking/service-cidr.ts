// ServiceCIDR (networking.k8s.io/v1): a range that Service addresses come from. A range never changes; a second family
// may be added.

import type { ServiceCIDR } from '@homeostat/api/types/networking-v1';
import { type FieldError, FieldPath, invalid, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { isDualStackCidrs, validateCanonicalCidr } from '../rules/addresses.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateImmutable } from '../update-parts.ts';

const path = new FieldPath('spec.cidrs');
const familiesText = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

export const serviceCidrStrategy: KindStrategy<ServiceCIDR> = standardStrategy<ServiceCIDR>({
  kind: { group: 'networking.k8s.io', version: 'v1', kind: 'ServiceCIDR' },
  namespaced: false,
  status: true,
  validate(object, errors, old) {
    const cidrs = object.spec?.cidrs ?? [];
    if (old === undefined) validateCidrs(cidrs, errors);
    else validateChange(cidrs, old.spec?.cidrs ?? [], errors);
  },
});

function validateCidrs(cidrs: readonly string[], errors: FieldError[]): void {
  if (cidrs.length === 0) errors.push(required(path, 'at least one CIDR required'));
  else if (cidrs.length > 2) errors.push(invalid(path, { CIDRs: cidrs }, 'may only hold up to 2 values'));
  else if (cidrs.length === 2 && !isDualStackCidrs(cidrs)) errors.push(invalid(path, cidrs, familiesText));
  else for (const [index, cidr] of cidrs.entries()) validateCanonicalCidr(cidr, path.index(index), errors);
}

function validateChange(cidrs: readonly string[], old: readonly string[], errors: FieldError[]): void {
  if (cidrs.length < old.length) {
    validateImmutable(cidrs, old, path, errors);
    return;
  }
  for (const [index, cidr] of old.entries()) validateImmutable(cidrs[index], cidr, path.index(index), errors);
  if (cidrs.length > old.length) validateCidrs(cidrs, errors);
}
