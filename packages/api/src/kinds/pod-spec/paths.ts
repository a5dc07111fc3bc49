// Rules for file paths inside volumes and containers.

import { type FieldError, type FieldPath, invalid } from '@homeostat/machinery';

export function validateNoBacksteps(path: string, at: FieldPath, errors: FieldError[]): void {
  if (path.split('/').includes('..')) errors.push(invalid(at, path, "must not contain '..'"));
}

export function validateDescendingPath(path: string, at: FieldPath, errors: FieldError[]): void {
  if (path.startsWith('/')) errors.push(invalid(at, path, 'must be a relative path'));
  validateNoBacksteps(path, at, errors);
}

/** Relative, and not one of the names that the kubelet's atomic writer uses itself. */
export function validateLocalNonReservedPath(path: string, at: FieldPath, errors: FieldError[]): void {
  validateDescendingPath(path, at, errors);
  if (path.startsWith('..') && !path.startsWith('../')) errors.push(invalid(at, path, "must not start with '..'"));
}

export function localNonReservedPathErrors(path: string, at: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  validateLocalNonReservedPath(path, at, errors);
  return errors;
}
