// The variable `namespaceObject`: the Namespace a request is in, as far as policies may see it.

import { type KubeObject, newNotFound } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { AdmissionHost } from '../admission-host.ts';
import { isNamespaces } from '../webhook/match-rules.ts';

/** Null for what is in no namespace. @throws ApiError 404 when the namespace is not there */
export async function policyNamespace(
  { namespace, resource, signal }: AdmissionAttributes,
  host: AdmissionHost,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (namespace === '' || isNamespaces(resource)) return null;
  const groupResource = { group: '', resource: 'namespaces' };
  const reader = host.reader(groupResource);
  const found = reader.get('', namespace) ?? (await reader.getFresh('', namespace, signal));
  if (found === undefined) throw newNotFound(groupResource, namespace);
  const { metadata, ...rest } = found as KubeObject & Readonly<Record<string, unknown>>;
  // The type of the variable spells the field as Go does.
  return { ...rest, metadata: { ...metadata, UID: metadata?.uid } };
}
