// Validation of metadata: what every kind checks at create and update, and the stricter rule for finalizers of built-in
// kinds. A strategy's validateCreate and validateUpdate include these for their kind; the registry adds only what
// upstream's generic store checks itself (the name as a path segment at create; both functions at update).
// Follows spec/apiserver.md §4.5 and §4.8.

import {
  canonicalize,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isQualifiedName,
  type ObjectMeta,
  type OwnerReference,
  required,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import { structByName } from '../../scheme/scheme.ts';
import { validateAnnotations, validateLabels } from '../rules/labels.ts';
import { nameIsDnsLabel, type NameRule } from '../rules/names.ts';
import { immutableText, pushInvalid, validateNonnegative } from '../rules/values.ts';

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly name: NameRule;
}

/** The whole of metadata, as at create. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const name = meta.name ?? '';
  const generateName = meta.generateName ?? '';
  if (generateName !== '')
    pushInvalid(rules.name(generateName, true), generateName, path.child('generateName'), errors);
  if (name === '') errors.push(required(path.child('name'), 'name or generateName is required'));
  else pushInvalid(rules.name(name, false), name, path.child('name'), errors);
  validateNamespaceOf(meta, rules.namespaced, path.child('namespace'), errors);
  validateNonnegative(meta.generation, path.child('generation'), errors);
  validateLabels(meta.labels, path.child('labels'), errors);
  validateAnnotations(meta.annotations, path.child('annotations'), errors);
  validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences'), errors);
  validateFinalizers(meta.finalizers, path.child('finalizers'), errors);
  validateManagedFields(meta, path.child('managedFields'), errors);
  return errors;
}

/** What an update may not change, and again the parts it may. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined)
    validateNoNewFinalizers(meta.finalizers, old.finalizers, path.child('finalizers'), errors);
  if ((meta.resourceVersion ?? '') === '') {
    errors.push(invalid(path.child('resourceVersion'), '', 'must be specified for an update'));
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalid(path.child('generation'), meta.generation ?? 0, 'must not be decremented'));
  }
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const value = meta[field] ?? '';
    if (value !== (old[field] ?? '')) errors.push(invalid(path.child(field), value, immutableText));
  }
  for (const field of ['creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    const value = meta[field] ?? null;
    if (value !== (old[field] ?? null)) errors.push(invalid(path.child(field), value, immutableText));
  }
  validateLabels(meta.labels, path.child('labels'), errors);
  validateAnnotations(meta.annotations, path.child('annotations'), errors);
  validateOwnerReferences(meta.ownerReferences, path.child('ownerReferences'), errors);
  validateManagedFields(meta, path.child('managedFields'), errors);
  return errors;
}

/** Finalizers of built-in kinds: without a domain only the standard ones. */
export function validateKubeFinalizers(meta: ObjectMeta, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, name] of (meta.finalizers ?? []).entries()) {
    validateKubeFinalizerName(name, path.child('finalizers').index(index), errors);
  }
  return errors;
}

export function validateKubeFinalizerName(name: string, path: FieldPath, errors: FieldError[]): void {
  if (!name.includes('/') && !standardFinalizers.has(name)) {
    errors.push(invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified'));
  }
}

export function validateFinalizerName(name: string, path: FieldPath, errors: FieldError[]): void {
  pushInvalid(isQualifiedName(name), name, path, errors);
}

/** {@link validateObjectMeta} with the finalizer rule of built-in kinds. */
export function validateKubeObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules, path: FieldPath): FieldError[] {
  return [...validateObjectMeta(meta, rules, path), ...validateKubeFinalizers(meta, path)];
}

/** {@link validateObjectMetaUpdate} with the finalizer rule of built-in kinds. */
export function validateKubeObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, path: FieldPath): FieldError[] {
  return [...validateObjectMetaUpdate(meta, old, path), ...validateKubeFinalizers(meta, path)];
}

const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function validateNamespaceOf(meta: ObjectMeta, namespaced: boolean, path: FieldPath, errors: FieldError[]): void {
  const namespace = meta.namespace ?? '';
  if (!namespaced) {
    if (namespace !== '') errors.push(forbidden(path, 'not allowed on this type'));
  } else if (namespace === '') errors.push(required(path));
  else pushInvalid(nameIsDnsLabel(namespace, false), namespace, path, errors);
}

function validateOwnerReferences(
  references: readonly OwnerReference[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  let first = '';
  for (const reference of references ?? []) {
    validateOwnerReference(reference, path, errors);
    if (reference.controller !== true) continue;
    const current = `${reference.kind ?? ''}/${reference.name ?? ''}`;
    if (first === '') first = current;
    else {
      const text = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${current}`;
      errors.push(invalid(path, (references ?? []).map(canonicalReference), text));
    }
  }
}

function validateOwnerReference(reference: OwnerReference, path: FieldPath, errors: FieldError[]): void {
  const apiVersion = reference.apiVersion ?? '';
  const parts = apiVersion.split('/');
  const version = parts.length > 2 ? '' : (parts.at(-1) ?? '');
  if (version === '') errors.push(invalid(path.child('apiVersion'), apiVersion, 'version must not be empty'));
  for (const field of ['kind', 'name', 'uid'] as const) {
    if ((reference[field] ?? '') === '') errors.push(invalid(path.child(field), '', 'must not be empty'));
  }
  // An Event would keep its owner's dependents alive only as long as the Event itself lives.
  if (apiVersion === 'v1' && reference.kind === 'Event') {
    errors.push(invalid(path, canonicalReference(reference), '/v1, Kind=Event is disallowed from being an owner'));
  }
}

const referenceSchema = structByName('io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference');

/** As JSON shows it, whatever order the client wrote. */
function canonicalReference(reference: OwnerReference): OwnerReference {
  return referenceSchema === undefined ? reference : canonicalize(reference, referenceSchema);
}

function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath, errors: FieldError[]): void {
  if (finalizers === undefined) return;
  for (const finalizer of finalizers) validateFinalizerName(finalizer, path, errors);
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
}

function validateNoNewFinalizers(
  finalizers: readonly string[] | undefined,
  old: readonly string[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const extra = [...new Set(finalizers ?? []).difference(new Set(old ?? []))].toSorted();
  if (extra.length === 0) return;
  const list = `[]string{${extra.map((name) => JSON.stringify(name)).join(', ')}}`;
  const text = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  errors.push(forbidden(path, text));
}

function validateManagedFields(meta: ObjectMeta, path: FieldPath, errors: FieldError[]): void {
  for (const [index, entry] of (meta.managedFields ?? []).entries()) {
    const at = path.index(index);
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.push(invalid(at.child('operation'), entry.operation ?? '', 'must be `Apply` or `Update`'));
    }
    if ((entry.fieldsType ?? '') !== '' && entry.fieldsType !== 'FieldsV1') {
      errors.push(invalid(at.child('fieldsType'), entry.fieldsType, 'must be `FieldsV1`'));
    }
    validateFieldManager(entry.manager ?? '', at.child('manager'), errors);
    if (utf8Length(entry.subresource ?? '') > 256) errors.push(tooLong(at.child('subresource'), 256));
  }
}

/** The name of a field manager, in managedFields and in request options. */
export function validateFieldManager(manager: string, path: FieldPath, errors: FieldError[]): void {
  if (utf8Length(manager) > 128) errors.push(tooLong(path, 128));
  let position = 0;
  for (const character of manager) {
    if (!isPrintable(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += utf8Length(character);
  }
}

/** Go's `unicode.IsPrint`: letters, marks, numbers, punctuation, symbols and the ASCII space. */
function isPrintable(character: string): boolean {
  return character === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character);
}
