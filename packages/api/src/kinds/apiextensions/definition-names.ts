// The names a CustomResourceDefinition gives its resource, as wanted (spec.names) and as accepted (status.acceptedNames).

import type { CustomResourceDefinitionNames } from '@homeostat/api/types/apiextensions-v1';
import { type FieldError, type FieldPath, invalid, isDns1035Label, required } from '@homeostat/machinery';

const caseText = 'may have mixed case, but should otherwise match: ';

/** Names that a spec must have; defaulting fills in the two that follow from the kind. */
export function validateRequiredNames(
  names: CustomResourceDefinitionNames | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if ((names?.[field] ?? '') === '') errors.push(required(path.child(field)));
  }
}

export function validateNames(
  names: CustomResourceDefinitionNames | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names ?? {};
  validateLabel(plural, path.child('plural'), errors);
  validateLabel(singular, path.child('singular'), errors);
  validateKindName(kind, path.child('kind'), errors);
  validateKindName(listKind, path.child('listKind'), errors);
  for (const [index, name] of shortNames.entries())
    validateLabel(name, path.child('shortNames').index(index), errors, true);
  if (kind !== '' && kind === listKind) {
    errors.push(invalid(path.child('listKind'), listKind, 'kind and listKind may not be the same'));
  }
  for (const [index, name] of categories.entries())
    validateLabel(name, path.child('categories').index(index), errors, true);
}

function validateLabel(name: string, path: FieldPath, errors: FieldError[], evenEmpty = false): void {
  const texts = name === '' && !evenEmpty ? [] : isDns1035Label(name);
  if (texts.length > 0) errors.push(invalid(path, name, texts.join(',')));
}

function validateKindName(name: string, path: FieldPath, errors: FieldError[]): void {
  const texts = name === '' ? [] : isDns1035Label(name.toLowerCase());
  if (texts.length > 0) errors.push(invalid(path, name, `${caseText}${texts.join(',')}`));
}
