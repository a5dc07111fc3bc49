// NodeRestriction's rules about Pods: a node makes mirror Pods of its own, reports on, evicts and deletes the Pods bound to it.

import type { Pod } from '@homeostat/api/types/core-v1';
import { deepEqual, type Json, type KubeObject, newNotFound } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import {
  isMirrorPod,
  mirrorPodAnnotation,
  podClaimNames,
  podConfigMapNames,
  podSecretNames,
} from '../../authorization/node/pod-references.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import type { AdmissionHost } from '../admission-host.ts';

export async function restrictPod(node: string, attributes: AdmissionAttributes, host: AdmissionHost): Promise<void> {
  const { operation } = attributes;
  if (operation === 'CREATE') return restrictMirrorPod(node, attributes, host);
  if (operation !== 'DELETE') {
    throw newAdmissionForbidden(
      attributes,
      `unexpected operation "${operation}", node "${node}" can only create and delete mirror pods`,
    );
  }
  const pod = await findPod(attributes, host, attributes.name);
  if (pod.spec?.nodeName !== node) {
    throw newAdmissionForbidden(attributes, `node "${node}" can only delete pods with spec.nodeName set to itself`);
  }
}

export function restrictPodStatus(node: string, attributes: AdmissionAttributes): void {
  const refuse = (text: string): never => {
    throw newAdmissionForbidden(attributes, text);
  };
  if (attributes.operation !== 'UPDATE') refuse(`unexpected operation "${attributes.operation}"`);
  const old = attributes.oldObject as Pod;
  const pod = attributes.object as Pod;
  if (old.spec?.nodeName !== node) {
    refuse(`node "${node}" can only update pod status for pods with spec.nodeName set to itself`);
  }
  if (!same(old.metadata?.labels ?? {}, pod.metadata?.labels ?? {})) {
    refuse(`node "${node}" cannot update labels through pod status`);
  }
  if (!same(old.status?.resourceClaimStatuses ?? [], pod.status?.resourceClaimStatuses ?? [])) {
    refuse(`node "${node}" cannot update resource claim statues`);
  }
  if (!same(old.status?.extendedResourceClaimStatus ?? null, pod.status?.extendedResourceClaimStatus ?? null)) {
    refuse(`node "${node}" cannot update extended resource claim status`);
  }
}

export async function restrictPodEviction(
  node: string,
  attributes: AdmissionAttributes,
  host: AdmissionHost,
): Promise<void> {
  if (attributes.operation !== 'CREATE') {
    throw newAdmissionForbidden(attributes, `unexpected operation ${attributes.operation}`);
  }
  const name = attributes.name || (attributes.object?.metadata?.name ?? '');
  if (name === '') throw newAdmissionForbidden(attributes, 'could not determine pod from request data');
  const pod = await findPod(attributes, host, name);
  if (pod.spec?.nodeName !== node) {
    throw newAdmissionForbidden(attributes, `node ${node} can only evict pods with spec.nodeName set to itself`);
  }
}

async function restrictMirrorPod(node: string, attributes: AdmissionAttributes, host: AdmissionHost): Promise<void> {
  const pod = attributes.object as Pod;
  const refuse = (text: string): never => {
    throw newAdmissionForbidden(attributes, text);
  };
  if (!isMirrorPod(pod)) {
    refuse(`pod does not have "${mirrorPodAnnotation}" annotation, node "${node}" can only create mirror pods`);
  }
  const only = `node "${node}" can only create pods with`;
  if (pod.spec?.nodeName !== node) refuse(`${only} spec.nodeName set to itself`);
  const owners = pod.metadata?.ownerReferences ?? [];
  if (owners.length > 1) refuse(`${only} a single owner reference set to itself`);
  const [owner] = owners;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
    return refuse(`${only} an owner reference set to itself`);
  }
  if (owner.controller !== true) refuse(`${only} a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion === true) {
    refuse(`node "${node}" must not set blockOwnerDeletion on an owner reference`);
  }
  const reader = host.reader({ group: '', resource: 'nodes' });
  const found = reader.get('', node) ?? (await reader.getFresh('', node, attributes.signal));
  if (found === undefined) throw newNotFound({ group: '', resource: 'nodes' }, node);
  if (found.metadata?.uid !== owner.uid) {
    refuse(`node ${node} UID mismatch: expected ${owner.uid} got ${found.metadata?.uid ?? ''}`);
  }
  const referenced = referencedResource(pod);
  if (referenced !== undefined) refuse(`node "${node}" can not create pods that reference ${referenced}`);
}

/** A resource whose objects the Pod would make its node read. */
function referencedResource(pod: Pod): string | undefined {
  if (pod.spec?.serviceAccountName) return 'serviceaccounts';
  if (podSecretNames(pod).size > 0) return 'secrets';
  if (podConfigMapNames(pod).size > 0) return 'configmaps';
  if ((pod.spec?.resourceClaims ?? []).length > 0) return 'resourceclaims';
  if (podClaimNames(pod).size > 0) return 'persistentvolumeclaims';
  for (const { projected } of pod.spec?.volumes ?? []) {
    for (const source of projected?.sources ?? []) {
      if (source.clusterTrustBundle !== undefined) return 'clustertrustbundles';
      if (source.serviceAccountToken !== undefined) return 'serviceaccounts';
    }
  }
  return undefined;
}

export async function findPod(attributes: AdmissionAttributes, host: AdmissionHost, name: string): Promise<Pod> {
  const reader = host.reader({ group: '', resource: 'pods' });
  const { namespace, signal } = attributes;
  const pod = reader.get(namespace, name) ?? (await reader.getFresh(namespace, name, signal));
  if (pod === undefined) throw newNotFound({ group: '', resource: 'pods' }, name);
  return pod as Pod & KubeObject;
}

function same(a: unknown, b: unknown): boolean {
  return deepEqual(a as Json, b as Json);
}
