// Rules for the cluster addresses of a Service and their families: at create and in changes between one and two families.

import { duplicate, type FieldError, FieldPath, invalid, required } from '@homeostat/machinery';
import type { Service } from '@homeostat/api/types/core-v1';
import { isHeadless } from '../../../meaning/services.ts';
import { isDualStackIps, isIpv6Text, validateIp } from '../../rules/addresses.ts';
import { validateSupported } from '../../rules/values.ts';

const specPath = new FieldPath('spec');
const ipsPath = specPath.child('clusterIPs');
const familiesPath = specPath.child('ipFamilies');
const policyPath = specPath.child('ipFamilyPolicy');
const onceSet = 'may not change once set';

export function validateClusterIps(service: Service, old: Service | undefined, errors: FieldError[]): void {
  const spec = service.spec ?? {};
  if (spec.type === 'ExternalName') return;
  const ip = spec.clusterIP ?? '';
  const ips = spec.clusterIPs ?? [];
  if (ip !== '') {
    if (ips.length === 0) errors.push(required(ipsPath));
    else if (ips[0] !== ip) errors.push(invalid(ipsPath, ips, 'first value must match `clusterIP`'));
  } else if (ips.length > 0) errors.push(invalid(ipsPath, ips, 'must be empty when `clusterIP` is not specified'));
  validateFamilies(spec.ipFamilies ?? [], errors);
  if (spec.ipFamilyPolicy !== undefined) {
    validateSupported(spec.ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack'], policyPath, errors);
  }
  if (!validateAddresses(ips, old?.spec?.clusterIPs, errors)) return;
  if (ips.length > 1 && !isDualStackIps(ips)) {
    errors.push(invalid(ipsPath, ips, 'may specify no more than one IP for each IP family'));
  }
  if (!isHeadless(service)) validateMatch(ips, spec.ipFamilies ?? [], errors);
}

function validateFamilies(families: readonly string[], errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [index, family] of families.entries()) {
    validateSupported(family, ['IPv4', 'IPv6'], familiesPath.index(index), errors);
    if (seen.has(family)) errors.push(duplicate(familiesPath.index(index), family));
    seen.add(family);
  }
}

/** False when a value is no address, so that nothing more can be said. */
function validateAddresses(ips: readonly string[], old: readonly string[] | undefined, errors: FieldError[]): boolean {
  let valid = true;
  for (const [index, ip] of ips.entries()) {
    if (index === 0 && ip === 'None') {
      if (ips.length === 1) continue;
      valid = false;
      errors.push(invalid(ipsPath, ips, "'None' must be the first and only value"));
      continue;
    }
    const before = errors.length;
    validateIp(ip, ipsPath.index(index), errors, old);
    valid &&= errors.length === before;
  }
  if (ips.length > 2) errors.push(invalid(ipsPath, ips, 'may only hold up to 2 values'));
  return valid;
}

function validateMatch(ips: readonly string[], families: readonly string[], errors: FieldError[]): void {
  for (const [index, family] of families.entries()) {
    const ip = ips[index];
    if (ip === undefined) return;
    const wanted = isIpv6Text(ip) ? 'IPv6' : 'IPv4';
    if (family === wanted || (family !== 'IPv4' && family !== 'IPv6')) continue;
    const text = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalid(ipsPath.index(index), ip, text));
  }
}

export function validateClusterIpsUpdate(service: Service, old: Service, errors: FieldError[]): void {
  if (isExternalName(service) || isExternalName(old) || (isHeadless(service) && isHeadless(old))) return;
  const ips = service.spec?.clusterIPs ?? [];
  const before = old.spec?.clusterIPs ?? [];
  if (before.length === ips.length) {
    for (const [index, ip] of before.entries()) {
      if (ip !== ips[index]) errors.push(invalid(ipsPath.index(index), ips, onceSet));
    }
  } else if (before.length > ips.length) {
    if (ips.length === 0) errors.push(invalid(ipsPath.index(0), ips, 'primary clusterIP can not be unset'));
    else if (ips[0] !== before[0]) errors.push(invalid(ipsPath.index(0), ips, onceSet));
    if (ips.length === 1) validateSingleStack(service, 'clusterIP', errors);
  } else if (before.length > 0 && ips[0] !== before[0]) errors.push(invalid(ipsPath.index(0), ips, onceSet));
}

export function validateIpFamiliesUpdate(service: Service, old: Service, errors: FieldError[]): void {
  if (isExternalName(service) || isExternalName(old) || isHeadless(service) || isHeadless(old)) return;
  const ips = service.spec?.clusterIPs ?? [];
  const families = service.spec?.ipFamilies ?? [];
  const before = old.spec?.ipFamilies ?? [];
  const at = familiesPath.index(0);
  if (before.length === families.length) {
    for (const [index, family] of before.entries()) {
      if (family !== families[index]) errors.push(invalid(at, families, onceSet));
    }
  } else if (before.length > families.length) {
    if (ips.length === 0) errors.push(invalid(at, families, 'primary ipFamily can not be unset'));
    // Upstream shows the addresses here, not the families.
    if (families.length > 0 && families[0] !== before[0]) errors.push(invalid(at, ips, onceSet));
    if (families.length === 1) validateSingleStack(service, 'ipFamily', errors);
  } else if (before.length > 0 && families[0] !== before[0]) errors.push(invalid(at, ips, onceSet));
}

function validateSingleStack(service: Service, what: string, errors: FieldError[]): void {
  const policy = service.spec?.ipFamilyPolicy;
  if (policy === 'SingleStack') return;
  errors.push(invalid(policyPath, policy ?? null, `must be set to 'SingleStack' when releasing the secondary ${what}`));
}

function isExternalName(service: Service): boolean {
  return service.spec?.type === 'ExternalName';
}
