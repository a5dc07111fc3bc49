// NodeRestriction's rules about the other objects a kubelet writes: its Lease, CSINode, ResourceSlices, claim statuses and
// certificate requests.

import type { CertificateSigningRequest } from '@homeostat/api/types/certificates-v1';
import type { PersistentVolumeClaim } from '@homeostat/api/types/core-v1';
import { deepEqual, type Json } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { readRequestSubject } from '../certificate-request.ts';

const leaseNamespace = 'kube-node-lease';
const kubeletSigners = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'];

export function restrictLease(node: string, attributes: AdmissionAttributes): void {
  if (attributes.namespace !== leaseNamespace) {
    throw newAdmissionForbidden(attributes, `can only access leases in the "${leaseNamespace}" system namespace`);
  }
  if (targetName(attributes) !== node) {
    throw newAdmissionForbidden(attributes, 'can only access node lease with the same name as the requesting node');
  }
}

export function restrictCsiNode(node: string, attributes: AdmissionAttributes): void {
  if (targetName(attributes) !== node) {
    throw newAdmissionForbidden(attributes, 'can only access CSINode with the same name as the requesting node');
  }
}

export function restrictResourceSlice(node: string, attributes: AdmissionAttributes): void {
  const { operation } = attributes;
  if (operation === 'UPDATE') return;
  const slice = (operation === 'CREATE' ? attributes.object : attributes.oldObject) as
    { readonly spec?: { readonly nodeName?: string } } | undefined;
  if (slice?.spec?.nodeName === node) return;
  const text = `can only ${operation.toLowerCase()} ResourceSlice with the same NodeName as the requesting node`;
  throw newAdmissionForbidden(attributes, text);
}

export function restrictClaimStatus(node: string, attributes: AdmissionAttributes): void {
  if (attributes.subresource !== 'status') throw newAdmissionForbidden(attributes, 'may only update PVC status');
  if (attributes.operation !== 'UPDATE') {
    throw newAdmissionForbidden(attributes, `unexpected operation "${attributes.operation}"`);
  }
  const comparable = (claim: PersistentVolumeClaim): Json => {
    const { resourceVersion: _version, managedFields: _managed, ...metadata } = claim.metadata ?? {};
    const {
      capacity: _c,
      conditions: _d,
      allocatedResources: _a,
      allocatedResourceStatuses: _s,
      ...status
    } = claim.status ?? {};
    return { ...claim, metadata, status } as unknown as Json;
  };
  const wanted = attributes.object as PersistentVolumeClaim;
  if (deepEqual(comparable(wanted), comparable(attributes.oldObject as PersistentVolumeClaim))) return;
  throw newAdmissionForbidden(
    attributes,
    `node "${node}" is not allowed to update fields other than status.quantity and status.conditions`,
  );
}

export function restrictCsr(node: string, attributes: AdmissionAttributes): void {
  if (attributes.operation !== 'CREATE') return;
  const { spec } = attributes.object as unknown as CertificateSigningRequest;
  if (!kubeletSigners.includes(spec.signerName)) return;
  const subject = readRequestSubject(spec.request);
  if (subject === undefined)
    throw newAdmissionForbidden(attributes, 'unable to parse csr: no certificate request found');
  if (subject.commonName !== `system:node:${node}`) {
    throw newAdmissionForbidden(attributes, `can only create a node CSR with CN=system:node:${node}`);
  }
}

/** On create the name is the object's. */
function targetName({ operation, object, name }: AdmissionAttributes): string {
  return operation === 'CREATE' ? (object?.metadata?.name ?? '') : name;
}
