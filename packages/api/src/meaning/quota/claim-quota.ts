// What quotas count about volume claims: how many, and the storage they ask for, in all and per storage class.

import { compareQuantity, parseQuantity, Quantity } from '@homeostat/machinery';
import type { PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import { matchesExpression, objectCountName, type QuotaEvaluator } from './quota-evaluator.ts';

const resource = { group: '', resource: 'persistentvolumeclaims' };
const countName = objectCountName(resource);
const classSuffix = '.storageclass.storage.k8s.io/';
const names = ['persistentvolumeclaims', 'requests.storage'];

export const claimQuota: QuotaEvaluator = {
  resource,
  matchingNames: (wanted) =>
    [...new Set(wanted)].filter(
      (each) =>
        each === countName || names.includes(each) || names.some((name) => each.endsWith(`${classSuffix}${name}`)),
    ),
  usage: (object) => {
    const claim = object as PersistentVolumeClaim;
    const className = storageClassOf(claim);
    const usage: Record<string, string> = { [countName]: '1', persistentvolumeclaims: '1' };
    if (className !== '') usage[`${className}${classSuffix}persistentvolumeclaims`] = '1';
    const storage = storageOf(claim);
    if (storage !== undefined) {
      usage['requests.storage'] = storage;
      if (className !== '') usage[`${className}${classSuffix}requests.storage`] = storage;
    }
    return usage;
  },
  matchesScope: (scope, object) => {
    if (scope.scopeName !== 'VolumeAttributesClass') return false;
    return matchesExpression(scope, attributesClassesOf(object as PersistentVolumeClaim));
  },
};

/** Whether a status update changes what the claim is charged. */
export function changesClaimUsage(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  return (
    claim.status?.allocatedResources?.['storage'] !== old.status?.allocatedResources?.['storage'] ||
    attributesClassesOf(claim).join() !== attributesClassesOf(old).join()
  );
}

function storageClassOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
}

/** In whole bytes; while a volume grows, the larger of what is wanted and what was allocated. */
function storageOf({ spec, status }: PersistentVolumeClaim): string | undefined {
  const wanted = spec?.resources?.requests?.['storage'];
  const allocated = status?.allocatedResources?.['storage'];
  if (wanted === undefined) return undefined;
  return roundedUp(allocated !== undefined && compareQuantity(allocated, wanted) > 0 ? allocated : wanted);
}

function roundedUp(text: string): string {
  const quantity = parseQuantity(text);
  const whole = new Quantity(quantity.scaledBigInt(0), 0, quantity.format);
  return whole.compare(quantity) === 0 ? text : whole.toString();
}

function attributesClassesOf({ spec, status }: PersistentVolumeClaim): readonly string[] {
  return [
    ...new Set([
      spec?.volumeAttributesClassName ?? '',
      status?.currentVolumeAttributesClassName ?? '',
      status?.modifyVolumeStatus?.targetVolumeAttributesClassName ?? '',
    ]),
  ].filter((name) => name !== '');
}
