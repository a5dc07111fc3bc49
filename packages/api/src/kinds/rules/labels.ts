// Labels, annotations and label selectors wherever they occur in an object. Errors are appended to `errors`.
// Follows spec/apiserver.md §4.8 and `k8s.io/apimachinery/pkg/apis/meta/v1/validation`.

import {
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  isLabelValue,
  isQualifiedName,
  required,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import { sortedKeys } from './values.ts';

export interface LabelSelectorLike {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirementLike[];
}

export interface LabelSelectorRequirementLike {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface LabelSelectorOptions {
  /** Values that no label could have are let through, because the stored object has such ones. Default false. */
  readonly allowInvalidValues?: boolean;
}

const annotationsBytesMax = 256 * 1024;

export function validateLabelName(name: string, path: FieldPath, errors: FieldError[]): void {
  for (const text of isQualifiedName(name)) errors.push(invalid(path, name, text));
}

export function validateLabels(
  labels: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (labels === undefined) return;
  for (const key of sortedKeys(labels)) {
    validateLabelName(key, path, errors);
    const value = labels[key] ?? '';
    for (const text of isLabelValue(value)) errors.push(invalid(path, value, text));
  }
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (annotations === undefined) return;
  let size = 0;
  for (const key of sortedKeys(annotations)) {
    for (const text of isQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, text));
    size += utf8Length(key) + utf8Length(annotations[key] ?? '');
  }
  if (size > annotationsBytesMax) errors.push(tooLong(path, annotationsBytesMax));
}

export function validateLabelSelector(
  selector: LabelSelectorLike | undefined,
  path: FieldPath,
  errors: FieldError[],
  options: LabelSelectorOptions = {},
): void {
  if (selector === undefined) return;
  validateLabels(selector.matchLabels, path.child('matchLabels'), errors);
  for (const [index, requirement] of (selector.matchExpressions ?? []).entries()) {
    validateRequirement(requirement, path.child('matchExpressions').index(index), errors, options);
  }
}

function validateRequirement(
  requirement: LabelSelectorRequirementLike,
  path: FieldPath,
  errors: FieldError[],
  options: LabelSelectorOptions,
): void {
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) {
        errors.push(required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"));
      }
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) {
        errors.push(
          forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
        );
      }
      break;
    default:
      errors.push(invalid(path.child('operator'), requirement.operator ?? '', 'not a valid selector operator'));
  }
  validateLabelName(requirement.key ?? '', path.child('key'), errors);
  if (options.allowInvalidValues === true) return;
  for (const [index, value] of values.entries()) {
    for (const text of isLabelValue(value)) errors.push(invalid(path.child('values').index(index), value, text));
  }
}
