// ControllerRevision (apps/v1): a snapshot that never changes after it is made; only its place in the history does.

import type { ControllerRevision } from '@homeostat/api/types/apps-v1';
import { type FieldError, FieldPath, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { validateNonnegative } from '../rules/values.ts';
import { validateImmutable } from '../update-parts.ts';

const metadataPath = new FieldPath('metadata');

export const controllerRevisionStrategy: KindStrategy<ControllerRevision> = {
  validateCreate(object) {
    const errors = validateKubeObjectMeta(
      object.metadata ?? {},
      { namespaced: true, name: nameIsDnsSubdomain },
      metadataPath,
    );
    validateNonnegative(object.revision, new FieldPath('revision'), errors);
    validateData(object.data ?? null, new FieldPath('data'), errors);
    return errors;
  },
  validateUpdate(object, old) {
    const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
    validateNonnegative(object.revision, new FieldPath('revision'), errors);
    validateImmutable(object.data ?? null, old.data ?? null, new FieldPath('data'), errors);
    return errors;
  },
};

function validateData(data: unknown, path: FieldPath, errors: FieldError[]): void {
  if (data === null) errors.push(required(path, 'data is mandatory'));
  else if (typeof data !== 'object' || Array.isArray(data)) {
    errors.push(required(path, 'data must be a valid JSON object'));
  }
}
