// Whether one request fits in the quotas of its namespace, and what they would have used then. Pure: reading, writing and
// the order of requests are the ledger's. A quota enforces what its status says, not what its spec wishes.

import {
  addLists,
  changesClaimUsage,
  changesScope,
  exceededNames,
  maskList,
  quotaEvaluatorOf,
  quotaMatches,
  type QuotaEvaluator,
  type ResourceList,
  subtractLists,
  withoutZeros,
} from '@homeostat/api';
import type { PersistentVolumeClaim, ResourceQuota } from '@homeostat/api/types/core-v1';
import { canonicalQuantity, compareBytewise, type KubeObject, parseQuantity } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { resourceText } from '../admission-host.ts';

/** The evaluator to ask, or undefined when the request can't change what any quota counts. */
export function chargingEvaluator(attributes: AdmissionAttributes): QuotaEvaluator | undefined {
  return chargesSomething(attributes) ? quotaEvaluatorOf(attributes.resource) : undefined;
}

function chargesSomething({ operation, resource, subresource, object, oldObject }: AdmissionAttributes): boolean {
  if (object === undefined) return false;
  if (operation === 'CREATE') return subresource === '';
  if (operation !== 'UPDATE' || oldObject === undefined) return false;
  switch (resourceText(resource)) {
    case 'pods':
      return subresource === 'resize' || (subresource === '' && changesScope(object, oldObject));
    case 'persistentvolumeclaims':
      return (
        subresource === '' ||
        (subresource === 'status' &&
          changesClaimUsage(object as PersistentVolumeClaim, oldObject as PersistentVolumeClaim))
      );
    case 'services':
    case 'resourceclaims.resource.k8s.io':
      return subresource === '';
    default:
      return false;
  }
}

/**
 * The quotas as they would be; those that do not change are the same objects.
 *
 * @throws ApiError 403 when one of them has no room
 */
export function chargeQuotas(
  quotas: readonly ResourceQuota[],
  attributes: AdmissionAttributes,
  evaluator: QuotaEvaluator,
  nowMs: number,
): readonly ResourceQuota[] {
  const object = attributes.object as KubeObject;
  const pertinent = new Set(quotas.filter((quota) => quotaMatches(quota, evaluator, object)));
  for (const quota of pertinent) refuseUnaccountable(quota, attributes, evaluator);
  if (pertinent.size === 0) return quotas;
  const usage = evaluator.usage(object, nowMs);
  refuseNegative(usage, attributes);
  const { oldObject } = attributes;
  const growth = oldObject === undefined ? usage : subtractLists(usage, evaluator.usage(oldObject, nowMs));
  return quotas.map((quota) => {
    if (!pertinent.has(quota)) return quota;
    // What moves into a quota's scope is new to it as a whole.
    const wasCounted = oldObject !== undefined && quotaMatches(quota, evaluator, oldObject);
    const charge = withoutZeros(maskList(wasCounted ? growth : usage, Object.keys(hardOf(quota))));
    return Object.keys(charge).length === 0 ? quota : charged(quota, charge, attributes);
  });
}

function charged(quota: ResourceQuota, charge: ResourceList, attributes: AdmissionAttributes): ResourceQuota {
  const used = addLists(usedOf(quota), charge);
  // A claim that has grown already is not shrunk by a refusal.
  if (attributes.subresource !== 'status') {
    const exceeded = exceededNames(maskList(used, Object.keys(charge)), hardOf(quota));
    if (exceeded.length > 0) {
      const amounts = (list: ResourceList): string => amountsText(maskList(list, exceeded));
      const text =
        `exceeded quota: ${quota.metadata?.name ?? ''}, requested: ${amounts(charge)}, ` +
        `used: ${amounts(usedOf(quota))}, limited: ${amounts(hardOf(quota))}`;
      throw newAdmissionForbidden(attributes, text);
    }
  }
  return { ...quota, status: { ...quota.status, used } };
}

function refuseUnaccountable(quota: ResourceQuota, attributes: AdmissionAttributes, evaluator: QuotaEvaluator): void {
  const names = evaluator.matchingNames(Object.keys(hardOf(quota)));
  const missing = evaluator.missing?.(names, attributes.object as KubeObject) ?? '';
  const quotaName = quota.metadata?.name ?? '';
  if (missing !== '') throw newAdmissionForbidden(attributes, `failed quota: ${quotaName}: must specify ${missing}`);
  if (names.every((name) => usedOf(quota)[name] !== undefined)) return;
  const resources = names.toSorted(compareBytewise).join(',');
  throw newAdmissionForbidden(attributes, `status unknown for quota: ${quotaName}, resources: ${resources}`);
}

function refuseNegative(usage: ResourceList, attributes: AdmissionAttributes): void {
  const negative = Object.keys(usage).filter((name) => parseQuantity(usage[name] ?? '0').sign < 0);
  if (negative.length === 0) return;
  const resources = negative.sort(compareBytewise).join(',');
  throw newAdmissionForbidden(attributes, `quota usage is negative for resource(s): ${resources}`);
}

function hardOf({ status }: ResourceQuota): ResourceList {
  return status?.hard ?? {};
}

function usedOf({ status }: ResourceQuota): ResourceList {
  return status?.used ?? {};
}

function amountsText(list: ResourceList): string {
  return Object.keys(list)
    .sort(compareBytewise)
    .map((name) => `${name}=${canonicalQuantity(list[name] ?? '0')}`)
    .join(',');
}
