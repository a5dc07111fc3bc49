// CertificateApproval, CertificateSigning and CertificateSubjectRestriction: who may approve and sign requests for which
// signer, and that no client certificate for system:masters can be asked for (spec/apiserver.md §15.2).

import type { CertificateSigningRequest } from '@homeostat/api/types/certificates-v1';
import { deepEqual, type Json } from '@homeostat/machinery';
import { privilegedGroup } from '../../authorization/privileged-group.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { newAdmissionForbidden } from '../admission-forbidden.ts';
import { type AdmissionHost, isAbout, resourceText } from '../admission-host.ts';
import { readRequestSubject } from '../certificate-request.ts';

const requests = 'certificatesigningrequests.certificates.k8s.io';
const clientSigner = 'kubernetes.io/kube-apiserver-client';

export class CertificateApproval implements AdmissionPlugin {
  readonly name = 'CertificateApproval';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'UPDATE';
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (resourceText(attributes.resource) !== requests || attributes.subresource !== 'approval') return;
    await requireSignerVerb('approve', attributes, this.#host);
  }
}

export class CertificateSigning implements AdmissionPlugin {
  readonly name = 'CertificateSigning';
  readonly #host: AdmissionHost;

  constructor(host: AdmissionHost) {
    this.#host = host;
  }

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'UPDATE';
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    if (resourceText(attributes.resource) !== requests || attributes.subresource !== 'status') return;
    const { status: wanted = {} } = attributes.object as unknown as CertificateSigningRequest;
    const { status: old = {} } = attributes.oldObject as unknown as CertificateSigningRequest;
    const sameConditions = deepEqual(
      (wanted.conditions ?? []) as unknown as Json,
      (old.conditions ?? []) as unknown as Json,
    );
    if (wanted.certificate === old.certificate && sameConditions) return;
    await requireSignerVerb('sign', attributes, this.#host);
  }
}

export class CertificateSubjectRestriction implements AdmissionPlugin {
  readonly name = 'CertificateSubjectRestriction';

  handles(operation: AdmissionAttributes['operation']): boolean {
    return operation === 'CREATE';
  }

  validate(attributes: AdmissionAttributes): void {
    if (!isAbout(attributes, requests)) return;
    const { spec } = attributes.object as unknown as CertificateSigningRequest;
    if (spec.signerName !== clientSigner) return;
    const subject = readRequestSubject(spec.request);
    if (subject === undefined) {
      throw newAdmissionForbidden(attributes, 'failed to parse CSR: PEM block type must be CERTIFICATE REQUEST');
    }
    if (subject.organizations.includes(privilegedGroup)) {
      throw newAdmissionForbidden(
        attributes,
        `use of ${clientSigner} signer with ${privilegedGroup} group is not allowed`,
      );
    }
  }
}

/** The verb on the signer itself or on all signers of its domain; against the stored signer name, which cannot change. */
async function requireSignerVerb(
  verb: 'approve' | 'sign',
  attributes: AdmissionAttributes,
  host: AdmissionHost,
): Promise<void> {
  const { signerName } = (attributes.oldObject as unknown as CertificateSigningRequest).spec;
  const domain = signerName.split('/')[0] ?? '';
  for (const name of [signerName, `${domain}/*`]) {
    const answer = await host.authorizer.authorize({
      user: attributes.user,
      verb,
      isResourceRequest: true,
      path: '',
      group: 'certificates.k8s.io',
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
    });
    if (answer.decision === 'allow') return;
  }
  throw newAdmissionForbidden(attributes, `user not permitted to ${verb} requests with signerName "${signerName}"`);
}
