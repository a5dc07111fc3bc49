// Validation of PersistentVolumeClaims. The spec of a claim stays as it is, but for its size and attributes class once
// bound. Follows spec/apiserver.md §13.5.

import {
  compareQuantity,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isQualifiedName,
  type Mutable,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@homeostat/api/types/core-v1';
import { structByName } from '../../../scheme/scheme.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { toGoStruct } from '../../rules/go-struct.ts';
import { jsonDiff } from '../../rules/json-diff.ts';
import { validateLabelSelector } from '../../rules/labels.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { isNegative, valueOf } from '../../rules/quantities.ts';
import { isNativeResource, validateResourceQuantity } from '../../rules/resource-names.ts';
import { immutableText, pushInvalid, sortedKeys } from '../../rules/values.ts';
import { semanticEqual } from '../../semantic-equal.ts';
import { type ClaimSpecOptions, validateClaimSpec } from './claim-spec.ts';

const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const statusPath = new FieldPath('status');
const betaClass = 'volume.beta.kubernetes.io/storage-class';

export function validateClaim(claim: PersistentVolumeClaim, options: ClaimSpecOptions = {}): FieldError[] {
  const errors = validateKubeObjectMeta(
    claim.metadata ?? {},
    { namespaced: true, name: nameIsDnsSubdomain },
    metadataPath,
  );
  validateClaimSpec(claim.spec ?? {}, specPath, errors, options);
  return errors;
}

export function validateClaimUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const errors = [
    ...validateKubeObjectMetaUpdate(claim.metadata ?? {}, old.metadata ?? {}, metadataPath),
    ...validateClaim(claim, claimOptions(old)),
  ];
  validateSpecUnchanged(claim, old, errors);
  validateSize(claim, old, errors);
  if (claim.spec?.volumeMode !== old.spec?.volumeMode) {
    errors.push(invalid(new FieldPath('volumeMode'), claim.spec?.volumeMode ?? null, immutableText));
  }
  validateAttributesClass(claim, old, specPath.child('volumeAttributesClassName'), errors);
  return errors;
}

function claimOptions(old: PersistentVolumeClaim): ClaimSpecOptions {
  const selectorErrors: FieldError[] = [];
  validateLabelSelector(old.spec?.selector, new FieldPath(), selectorErrors);
  return {
    allowInvalidGroups: old.spec?.dataSource?.apiGroup !== undefined || old.spec?.dataSourceRef?.apiGroup !== undefined,
    allowInvalidSelectorValues: selectorErrors.length > 0,
  };
}

const specSchema = structByName('io.k8s.api.core.v1.PersistentVolumeClaimSpec');

function validateSpecUnchanged(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, errors: FieldError[]): void {
  const munged = structuredClone(claim.spec ?? {}) as Mutable<PersistentVolumeClaimSpec>;
  const oldSpec = structuredClone(old.spec ?? {}) as Mutable<PersistentVolumeClaimSpec>;
  if ((oldSpec.volumeName ?? '') === '' && munged.volumeName !== undefined) oldSpec.volumeName = munged.volumeName;
  allowClassUpgrade(claim, old, munged, errors);
  const bound = claim.status?.phase === 'Bound';
  const oldSize = oldSpec.resources?.requests?.['storage'];
  if (bound && munged.resources?.requests !== undefined && oldSize !== undefined)
    munged.resources.requests['storage'] = oldSize;
  if (bound) {
    if (oldSpec.volumeAttributesClassName === undefined) delete munged.volumeAttributesClassName;
    else munged.volumeAttributesClassName = oldSpec.volumeAttributesClassName;
  }
  if (semanticEqual(munged, oldSpec, specSchema)) return;
  const allowed =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  errors.push(
    forbidden(specPath, `${allowed}\n${jsonDiff(toGoStruct(oldSpec, specSchema), toGoStruct(munged, specSchema))}`),
  );
}

/** A claim that names its class by annotation, or none at all, may get the field once. */
function allowClassUpgrade(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  munged: Mutable<PersistentVolumeClaimSpec>,
  errors: FieldError[],
): void {
  const before = old.metadata?.annotations?.[betaClass];
  const now = claim.metadata?.annotations?.[betaClass];
  const name = claim.spec?.storageClassName;
  const hadNone = old.spec?.storageClassName === undefined;
  if (before !== undefined && hadNone && name === before && (now === undefined || now === before)) {
    delete munged.storageClassName;
    return;
  }
  if ((now ?? '') !== (before ?? '')) {
    errors.push(invalid(metadataPath.child('annotations', betaClass), now ?? '', immutableText));
  }
  if (name !== undefined && hadNone && (before === undefined || name === before)) delete munged.storageClassName;
}

/** A claim may shrink back towards what it has, after an expansion that failed. */
function validateSize(claim: PersistentVolumeClaim, old: PersistentVolumeClaim, errors: FieldError[]): void {
  const size = claim.spec?.resources?.requests?.['storage'] ?? '0';
  if (compareQuantity(size, old.spec?.resources?.requests?.['storage'] ?? '0') >= 0) return;
  if (compareQuantity(size, old.status?.capacity?.['storage'] ?? '0') > 0) return;
  errors.push(
    forbidden(specPath.child('resources', 'requests', 'storage'), 'field can not be less than status.capacity'),
  );
}

function validateAttributesClass(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  path: FieldPath,
  errors: FieldError[],
): void {
  const name = claim.spec?.volumeAttributesClassName;
  if (name === old.spec?.volumeAttributesClassName || old.status?.currentVolumeAttributesClassName === undefined)
    return;
  const when = 'is forbidden when status.currentVolumeAttributesClassName is not nil';
  if (name === undefined) errors.push(forbidden(path, `update to nil ${when}`));
  else if (name === '') errors.push(forbidden(path, `update to empty string ${when}`));
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].toSorted();

export function validateClaimStatusUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const errors = validateKubeObjectMetaUpdate(claim.metadata ?? {}, old.metadata ?? {}, metadataPath);
  if ((claim.metadata?.resourceVersion ?? '') === '') errors.push(required(new FieldPath('resourceVersion')));
  if ((claim.spec?.accessModes ?? []).length === 0) errors.push(required(new FieldPath('Spec').child('accessModes')));
  const status = claim.status ?? {};
  for (const name of sortedKeys(status.capacity)) {
    validateBasicQuantity(status.capacity?.[name] ?? '0', statusPath.child('capacity').key(name), errors);
  }
  const statusesPath = statusPath.child('allocatedResourceStatuses');
  for (const name of sortedKeys(status.allocatedResourceStatuses)) {
    validateResourceKey(name, statusesPath, errors);
    const state: string = status.allocatedResourceStatuses?.[name] ?? '';
    if (!resizeStatuses.includes(state)) errors.push(notSupported(statusesPath, name, resizeStatuses));
  }
  const allocatedPath = statusPath.child('allocatedResources');
  for (const name of sortedKeys(status.allocatedResources)) {
    if (!validateResourceKey(name, allocatedPath, errors)) continue;
    const quantity = status.allocatedResources?.[name] ?? '0';
    if (validateBasicQuantity(quantity, allocatedPath.key(name), errors)) {
      validateResourceQuantity('storage', quantity, allocatedPath.key(name), errors);
    }
  }
  return errors;
}

/** True when the quantity is not negative. */
export function validateBasicQuantity(quantity: string, path: FieldPath, errors: FieldError[]): boolean {
  if (!isNegative(quantity)) return true;
  errors.push(invalid(path, Number(valueOf(quantity)), 'must be a valid resource quantity'));
  return false;
}

function validateResourceKey(name: string, path: FieldPath, errors: FieldError[]): boolean {
  const texts = isQualifiedName(name);
  pushInvalid(texts, name, path, errors);
  if (texts.length > 0) return false;
  if (!isNativeResource(name) || name === 'storage') return true;
  errors.push(notSupported(path, name, ['storage']));
  return false;
}
