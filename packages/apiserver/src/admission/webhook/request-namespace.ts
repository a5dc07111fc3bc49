// The namespace a request is about, as webhooks see it: requests about a Namespace carry its name.

import type { AdmissionAttributes } from '../../server/admission.ts';
import { isNamespaces } from './match-rules.ts';

export function requestNamespace({ namespace, resource, name, object }: AdmissionAttributes): string {
  if (namespace !== '' || !isNamespaces(resource)) return namespace;
  return name === '' ? (object?.metadata?.name ?? '') : name;
}
