// What StorageClass and VolumeAttributesClass share: the driver's name and the parameters for it.

import {
  type FieldError,
  type FieldPath,
  invalid,
  isQualifiedName,
  required,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import { pushInvalid, sortedKeys } from '../rules/values.ts';

const parametersMax = 512;
const parametersBytesMax = 256 * 1024;

/** Driver names are compared without regard to case, so they are checked in lower case. */
export function validateDriverName(name: string | undefined, path: FieldPath, errors: FieldError[]): void {
  const lower = (name ?? '').toLowerCase();
  if (lower === '') errors.push(required(path));
  else pushInvalid(isQualifiedName(lower), lower, path, errors);
}

export function validateParameters(
  parameters: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  errors: FieldError[],
  mayBeEmpty: boolean,
): void {
  const keys = sortedKeys(parameters);
  if (keys.length > parametersMax) {
    errors.push(tooLong(path, parametersMax));
    return;
  }
  let bytes = 0;
  for (const key of keys) {
    if (key === '') errors.push(invalid(path, key, 'field can not be empty.'));
    bytes += utf8Length(key) + utf8Length(parameters?.[key] ?? '');
  }
  if (bytes > parametersBytesMax) errors.push(tooLong(path, parametersBytesMax));
  if (!mayBeEmpty && keys.length === 0) errors.push(required(path, 'must contain at least one key/value pair'));
}
