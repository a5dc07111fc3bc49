// Metadata of objects that are made from templates inside other objects: labels and annotations only.

import { type FieldError, type FieldPath, forbidden, type ObjectMeta } from '@homeostat/machinery';
import { validateAnnotations, validateLabels } from '../rules/labels.ts';

/** In the order of Go's ObjectMeta, with the names upstream reports (first letter lowered). */
const forbiddenFields: readonly (readonly [field: keyof ObjectMeta, shown: string])[] = [
  ['name', 'name'],
  ['generateName', 'generateName'],
  ['namespace', 'namespace'],
  ['selfLink', 'selfLink'],
  ['uid', 'uID'],
  ['resourceVersion', 'resourceVersion'],
  ['generation', 'generation'],
  ['creationTimestamp', 'creationTimestamp'],
  ['deletionTimestamp', 'deletionTimestamp'],
  ['deletionGracePeriodSeconds', 'deletionGracePeriodSeconds'],
  ['ownerReferences', 'ownerReferences'],
  ['finalizers', 'finalizers'],
  ['managedFields', 'managedFields'],
];

export function validateTemplateMetadata(metadata: ObjectMeta, path: FieldPath, errors: FieldError[]): void {
  validateAnnotations(metadata.annotations, path.child('annotations'), errors);
  validateLabels(metadata.labels, path.child('labels'), errors);
  for (const [field, shown] of forbiddenFields) {
    const value = metadata[field];
    if (value === undefined || value === null || value === '' || value === 0) continue;
    errors.push(forbidden(path.child(shown), 'cannot be set'));
  }
}
