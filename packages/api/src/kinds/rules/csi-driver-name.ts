// The name of a CSI driver, wherever objects refer to one.

import {
  type FieldError,
  type FieldPath,
  isDns1123Subdomain,
  required,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import { pushInvalid } from './values.ts';

const nameBytesMax = 63;

export function validateCsiDriverName(name: string | undefined, path: FieldPath, errors: FieldError[]): void {
  const text = name ?? '';
  if (text === '') {
    errors.push(required(path));
    return;
  }
  if (utf8Length(text) > nameBytesMax) errors.push(tooLong(path, nameBytesMax));
  pushInvalid(isDns1123Subdomain(text.toLowerCase()), text, path, errors);
}
