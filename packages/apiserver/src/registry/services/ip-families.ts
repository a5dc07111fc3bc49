// Fills in ipFamilies and ipFamilyPolicy of a Service from what it asks for and what the cluster has (KEP-563), before
// addresses are allocated.

import { validateClusterIps } from '@homeostat/api';
import type { Service } from '@homeostat/api/types/core-v1';
import { type FieldError, FieldPath, invalid, type Mutable, newInvalid } from '@homeostat/machinery';

export type IpFamily = 'IPv4' | 'IPv6';

const specPath = new FieldPath('spec');

export function familyOf(ip: string): IpFamily {
  return ip.includes(':') ? 'IPv6' : 'IPv4';
}

/** @throws ApiError 422 for families the cluster does not have */
export function initIpFamilies(
  draft: Mutable<Service>,
  old: Service | undefined,
  configured: readonly IpFamily[],
): void {
  const spec = (draft.spec ??= {});
  const errors: FieldError[] = [];
  if (spec.type === 'ExternalName' || keepsPreferredFamilies(draft as Service, old)) return;
  validateClusterIps(draft as Service, old, errors);
  refuse(draft, errors);
  if (old !== undefined) followDowngrade(draft, old);
  spec.ipFamilyPolicy ??=
    (spec.clusterIPs ?? []).length === 2 || (spec.ipFamilies ?? []).length === 2
      ? 'RequireDualStack'
      : (undefined as never);
  if (spec.ipFamilyPolicy === undefined) delete spec.ipFamilyPolicy;
  inferFamilies(draft, configured, errors);
  refuse(draft, errors);
  const families = (spec.ipFamilies ??= []) as IpFamily[];
  const first = configured[0] ?? 'IPv4';
  const headless = spec.clusterIPs?.[0] === 'None';
  if (headless && Object.keys(spec.selector ?? {}).length === 0) {
    // Nobody but the one who makes its endpoints knows the families of such a Service.
    if (families.length === 0) families.push(first);
    if (families.length < 2 && spec.ipFamilyPolicy !== 'SingleStack') families.push(otherFamily(families[0]));
    spec.ipFamilyPolicy ??= 'RequireDualStack';
    return;
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack' && configured.length < 2) {
    errors.push(
      invalid(
        specPath.child('ipFamilyPolicy'),
        spec.ipFamilyPolicy,
        'this cluster is not configured for dual-stack services',
      ),
    );
  }
  for (const [index, family] of families.entries()) {
    if (!configured.includes(family))
      errors.push(invalid(specPath.child('ipFamilies').index(index), family, 'not configured on this cluster'));
  }
  refuse(draft, errors);
  spec.ipFamilyPolicy ??= 'SingleStack';
  if (families.length === 0) families.push(first);
  if (spec.ipFamilyPolicy !== 'SingleStack' && families.length === 1 && configured.length === 2)
    families.push(otherFamily(families[0]));
}

/** A Service that prefers two families keeps what it got when the cluster changes beneath it. */
export function keepsPreferredFamilies(service: Service, old: Service | undefined): boolean {
  const spec = service.spec ?? {};
  const before = old?.spec;
  if (before === undefined || before.type !== spec.type) return false;
  if (before.ipFamilyPolicy !== 'PreferDualStack' || spec.ipFamilyPolicy !== 'PreferDualStack') return false;
  return same(spec.clusterIPs, before.clusterIPs) && same(spec.ipFamilies, before.ipFamilies);
}

/** From two families to one: what the request no longer names goes. */
function followDowngrade(draft: Mutable<Service>, old: Service): void {
  const spec = draft.spec;
  if (spec === undefined || (old.spec?.ipFamilies ?? []).length !== 2 || spec.ipFamilyPolicy !== 'SingleStack') return;
  if (same(spec.clusterIPs, old.spec?.clusterIPs)) spec.clusterIPs = spec.clusterIPs?.slice(0, 1) as never;
  if (same(spec.ipFamilies, old.spec?.ipFamilies)) spec.ipFamilies = spec.ipFamilies?.slice(0, 1) as never;
}

/** Families follow from addresses that are given. */
function inferFamilies(draft: Mutable<Service>, configured: readonly IpFamily[], errors: FieldError[]): void {
  const spec = draft.spec ?? {};
  const families = (spec.ipFamilies ?? []) as IpFamily[];
  for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === 'None') break;
    if (index < families.length) continue;
    const family = familyOf(ip);
    if (configured.includes(family)) families.push(family);
    else
      errors.push(
        invalid(
          specPath.child('clusterIPs').index(index),
          spec.clusterIPs,
          `${family} is not configured on this cluster`,
        ),
      );
  }
  spec.ipFamilies = families;
}

function otherFamily(family: IpFamily | undefined): IpFamily {
  return family === 'IPv6' ? 'IPv4' : 'IPv6';
}

function same(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return (a ?? []).join() === (b ?? []).join();
}

function refuse(draft: Mutable<Service>, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw newInvalid({ group: '', kind: 'Service' }, draft.metadata?.name ?? '', errors);
}
