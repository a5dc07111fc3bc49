// The 403 of an admission plugin: names the object as far as it has a name yet.

import type { ApiError } from '@homeostat/base';
import { newForbidden } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../server/admission.ts';

/** `pods "a" is forbidden: <text>`. */
export function newAdmissionForbidden(attributes: AdmissionAttributes, text: string): ApiError {
  return newForbidden(attributes.resource, objectName(attributes), text);
}

function objectName({ name, object }: AdmissionAttributes): string {
  if (name !== '') return name;
  // Names are generated after admission.
  return object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
}
