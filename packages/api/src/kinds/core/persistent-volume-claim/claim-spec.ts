// The spec of a claim to storage: in claims, in templates of StatefulSets and in ephemeral volumes of Pods.

import {
  canonicalQuantity,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isDns1123Subdomain,
  type Mutable,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@homeostat/api/types/core-v1';
import { validateLabelSelector } from '../../rules/labels.ts';
import { nameIsDnsLabel, nameIsDnsSubdomain } from '../../rules/names.ts';
import { isPositive } from '../../rules/quantities.ts';
import { defaultResourceList, defaultResources } from '../../rules/resource-lists.ts';
import { validateResourceQuantity } from '../../rules/resource-names.ts';
import { notPositiveText, pushInvalid } from '../../rules/values.ts';

export interface ClaimSpecOptions {
  /** The stored claim's selector has values that no label could have. */
  readonly allowInvalidSelectorValues?: boolean;
  /** The stored claim names a group in its data source. */
  readonly allowInvalidGroups?: boolean;
}

/** Sorted, as messages list them. */
export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const volumeModes = ['Block', 'Filesystem'];

export function applyClaimDefaults(draft: Mutable<PersistentVolumeClaim>): void {
  const status = (draft.status ??= {});
  status.phase ||= 'Pending';
  defaultResourceList(status.capacity);
  defaultResourceList(status.allocatedResources);
  const spec = (draft.spec ??= {});
  spec.volumeMode ??= 'Filesystem';
  defaultResources(spec.resources);
}

export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: FieldPath,
  errors: FieldError[],
  options: ClaimSpecOptions = {},
): void {
  const modes: readonly string[] = spec.accessModes ?? [];
  if (modes.length === 0) errors.push(required(path.child('accessModes'), 'at least 1 access mode is required'));
  validateLabelSelector(spec.selector, path.child('selector'), errors, {
    allowInvalidValues: options.allowInvalidSelectorValues === true,
  });
  validateAccessModes(modes, path.child('accessModes'), errors);
  validateStorage(spec.resources?.requests?.['storage'], path.child('resources').key('storage'), errors);
  validateClassName(spec.storageClassName, path.child('storageClassName'), errors);
  const mode: string | undefined = spec.volumeMode;
  if (mode !== undefined && !volumeModes.includes(mode))
    errors.push(notSupported(path.child('volumeMode'), mode, volumeModes));
  validateDataSources(spec, path, errors, options);
  validateClassName(spec.volumeAttributesClassName, path.child('volumeAttributesClassName'), errors);
}

export function validateAccessModes(modes: readonly string[], path: FieldPath, errors: FieldError[]): void {
  for (const mode of modes) if (!accessModes.includes(mode)) errors.push(notSupported(path, mode, accessModes));
  const others = modes.filter((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode));
  if (modes.includes('ReadWriteOncePod') && others.length > 0) {
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
}

function validateStorage(quantity: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (quantity === undefined) errors.push(required(path));
  else if (!isPositive(quantity)) errors.push(invalid(path, canonicalQuantity(quantity), notPositiveText));
  else validateResourceQuantity('storage', quantity, path, errors);
}

function validateClassName(name: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if ((name ?? '') !== '') pushInvalid(nameIsDnsSubdomain(name ?? '', false), name, path, errors);
}

interface Source {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

function validateDataSources(
  spec: PersistentVolumeClaimSpec,
  path: FieldPath,
  errors: FieldError[],
  options: ClaimSpecOptions,
): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) validateSource(dataSource, path.child('dataSource'), errors, options);
  const namespace = dataSourceRef?.namespace ?? '';
  if (dataSourceRef !== undefined) {
    const at = path.child('dataSourceRef');
    validateSource(dataSourceRef, at, errors, options);
    if (namespace !== '') pushInvalid(nameIsDnsLabel(namespace, false), namespace, at.child('namespace'), errors);
  }
  if (dataSource === undefined || dataSourceRef === undefined) return;
  // Upstream passes the path as the value; it prints as an empty object.
  if (namespace !== '')
    errors.push(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  else if (!isSameSource(dataSource, dataSourceRef)) errors.push(invalid(path, {}, 'must match dataSourceRef'));
}

function validateSource(source: Source, path: FieldPath, errors: FieldError[], options: ClaimSpecOptions): void {
  const { apiGroup = '', kind = '', name = '' } = source;
  if (name === '') errors.push(required(path.child('name')));
  if (kind === '') errors.push(required(path.child('kind')));
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (apiGroup !== '' && options.allowInvalidGroups !== true) {
    pushInvalid(isDns1123Subdomain(apiGroup), apiGroup, path.child('apiGroup'), errors);
  }
}

function isSameSource(a: Source, b: Source): boolean {
  return a.apiGroup === b.apiGroup && (a.kind ?? '') === (b.kind ?? '') && (a.name ?? '') === (b.name ?? '');
}
