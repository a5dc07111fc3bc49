// CertificateSigningRequest (certificates.k8s.io/v1). Who asks is told by the server, never by the object; what is asked
// never changes; approval and the certificate come through two endpoints with rights of their own.

import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from '@homeostat/api/types/certificates-v1';
import {
  decodeBase64,
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  formatTime,
  invalid,
  type Mutable,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { KindStrategy, StrategyContext, UpdateStrategy } from '../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { keepField } from '../update-parts.ts';
import { isDerSequence, readPem } from './pem.ts';
import { validateSignerName } from './signer-name.ts';

const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const conditionsPath = new FieldPath('status.conditions');
const certificatePath = new FieldPath('status.certificate');
const legacySigner = 'kubernetes.io/legacy-unknown';
const expirationSecondsMin = 600;
const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const decisions = ['Approved', 'Denied'];
/** Conditions that are only ever true, and stay. */
const lasting = [...decisions, 'Failed'];

export const certificateSigningRequestStrategy: KindStrategy<CertificateSigningRequest> = {
  // Names have no rule of their own.
  nameRule: () => [],
  resetFields: [['spec'], ['status']],
  fieldLabels: ['spec.signerName'],
  selectableFields: (object) => ({ 'spec.signerName': object.spec?.signerName ?? '' }),
  prepareForCreate(draft, context) {
    setRequester(draft, context);
    delete draft.status;
  },
  validateCreate: (object) => validateRequest(object, undefined),
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'spec');
    keepField(draft, old, 'status');
  },
  validateUpdate: (object, old) => validateRequestUpdate(object, old, { mayDecide: false, mayCertify: false }),
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate(draft, old, context) {
        keepField(draft, old, 'spec');
        setConditionTimes(draft, old, context);
      },
      validateUpdate: (object, old) => validateRequestUpdate(object, old, { mayDecide: false, mayCertify: true }),
    },
    approval: approvalStrategy(),
  },
};

function approvalStrategy(): UpdateStrategy<CertificateSigningRequest> {
  return {
    resetFields: [['spec'], ['status', 'certificate']],
    prepareForUpdate(draft, old, context) {
      setConditionTimes(draft, old, context);
      const conditions = draft.status?.conditions;
      keepField(draft, old, 'spec');
      const status = structuredClone(old.status ?? {}) as Mutable<CertificateSigningRequestStatus>;
      if (conditions === undefined) delete status.conditions;
      else status.conditions = conditions;
      draft.status = status;
    },
    validateUpdate: (object, old) => validateRequestUpdate(object, old, { mayDecide: true, mayCertify: false }),
  };
}

function setRequester(draft: Mutable<CertificateSigningRequest>, { user }: StrategyContext): void {
  const spec = (draft.spec ??= {} as Mutable<CertificateSigningRequestSpec>);
  delete spec.username;
  delete spec.uid;
  delete spec.groups;
  delete spec.extra;
  if (user === undefined) return;
  spec.username = user.username;
  if (user.uid !== undefined) spec.uid = user.uid;
  if (user.groups !== undefined) spec.groups = [...user.groups];
  if (user.extra === undefined || Object.keys(user.extra).length === 0) return;
  spec.extra = Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]]));
}

function setConditionTimes(
  draft: Mutable<CertificateSigningRequest>,
  old: CertificateSigningRequest,
  { nowMs }: StrategyContext,
): void {
  for (const condition of draft.status?.conditions ?? []) {
    condition.lastUpdateTime ??= formatTime(nowMs);
    condition.lastTransitionTime ??=
      old.status?.conditions?.find(({ type, status }) => type === condition.type && status === condition.status)
        ?.lastTransitionTime ?? formatTime(nowMs);
  }
}

function validateRequest(object: CertificateSigningRequest, old: CertificateSigningRequest | undefined): FieldError[] {
  const errors = validateKubeObjectMeta(object.metadata ?? {}, { namespaced: false, name: () => [] }, metadataPath);
  validateRequestText(object.spec?.request, specPath.child('request'), errors);
  validateUsages(object.spec?.usages ?? [], old?.spec?.usages ?? [], specPath.child('usages'), errors);
  const signer = object.spec?.signerName ?? '';
  if (signer !== legacySigner) validateSignerName(signer, specPath.child('signerName'), errors);
  else if (old?.spec?.signerName !== legacySigner) {
    const text = 'the legacy signerName is not allowed via this API version';
    errors.push(invalid(specPath.child('signerName'), signer, text));
  }
  const seconds = object.spec?.expirationSeconds;
  if (seconds !== undefined && seconds < expirationSecondsMin) {
    const text = `may not specify a duration less than ${expirationSecondsMin} seconds (10 minutes)`;
    errors.push(invalid(specPath.child('expirationSeconds'), seconds, text));
  }
  validateConditions(object.status?.conditions ?? [], old?.status?.conditions ?? [], errors);
  const certificate = object.status?.certificate ?? '';
  if (certificate !== (old?.status?.certificate ?? '')) validateCertificate(certificate, errors);
  return errors;
}

function validateRequestText(request: string | undefined, path: FieldPath, errors: FieldError[]): void {
  const block = readPem(textOf(request ?? ''))[0];
  if (block === undefined || block.type !== 'CERTIFICATE REQUEST') {
    errors.push(invalid(path, request ?? null, 'PEM block type must be CERTIFICATE REQUEST'));
  } else if (!isDerSequence(block.bytes)) errors.push(invalid(path, request, 'x509: malformed certificate request'));
}

function validateUsages(
  wanted: readonly string[],
  old: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  if (wanted.length === 0) errors.push(required(path));
  if (old.every((usage) => usages.includes(usage))) {
    for (const [index, usage] of wanted.entries()) {
      if (!usages.includes(usage)) errors.push(notSupported(path.index(index), usage, usages));
    }
  }
  if (new Set(old).size < old.length) return;
  for (const [index, usage] of wanted.entries()) {
    if (wanted.indexOf(usage) < index) errors.push(duplicate(path.index(index), usage));
  }
}

function validateConditions(
  conditions: readonly CertificateSigningRequestCondition[],
  old: readonly CertificateSigningRequestCondition[],
  errors: FieldError[],
): void {
  const has = (list: readonly CertificateSigningRequestCondition[], type: string): boolean =>
    list.some((condition) => condition.type === type);
  const oldTypes = old.map((condition) => condition.type);
  const decidedBothWays = decisions.every((type) => has(old, type));
  for (const [index, { type = '', status = '' }] of conditions.entries()) {
    const at = conditionsPath.index(index);
    const earlier = conditions.slice(0, index);
    if (type === '' && !oldTypes.includes('')) errors.push(required(at.child('type')));
    const allowed = lasting.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if (status === '') errors.push(required(at.child('status')));
    else if (!allowed.includes(status)) errors.push(notSupported(at.child('status'), status, allowed));
    const opposite = decisions.includes(type) ? decisions.find((decision) => decision !== type) : undefined;
    if (opposite !== undefined && !decidedBothWays && has(earlier, opposite)) {
      errors.push(invalid(conditionsPath, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (has(earlier, type) && new Set(oldTypes).size === oldTypes.length)
      errors.push(duplicate(at.child('type'), type));
  }
}

function validateCertificate(certificate: string, errors: FieldError[]): void {
  const problem = certificate === '' ? undefined : certificateProblem(textOf(certificate));
  if (problem !== undefined) errors.push(invalid(certificatePath, '<certificate data>', problem));
}

function certificateProblem(text: string): string | undefined {
  const blocks = readPem(text);
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (!isDerSequence(bytes)) return 'x509: malformed certificate';
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

interface UpdateRights {
  /** May add and change Approved and Denied. */
  readonly mayDecide: boolean;
  /** May set the certificate, once. */
  readonly mayCertify: boolean;
}

function validateRequestUpdate(
  object: CertificateSigningRequest,
  old: CertificateSigningRequest,
  rights: UpdateRights,
): FieldError[] {
  const errors = validateRequest(object, old);
  errors.push(...validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath));
  const find = (source: CertificateSigningRequest, type: string): readonly CertificateSigningRequestCondition[] =>
    (source.status?.conditions ?? []).filter((condition) => condition.type === type);
  for (const type of lasting) {
    if (find(object, type).length < find(old, type).length) {
      errors.push(forbidden(conditionsPath, `updates may not remove a condition of type ${JSON.stringify(type)}`));
    }
  }
  if (!rights.mayDecide) {
    for (const type of decisions) {
      const now = find(object, type);
      const then = find(old, type);
      if (now.length > then.length) {
        errors.push(forbidden(conditionsPath, `updates may not add a condition of type ${JSON.stringify(type)}`));
      } else if (now.length === then.length && !semanticEqual(now, then)) {
        errors.push(forbidden(conditionsPath, `updates may not modify a condition of type ${JSON.stringify(type)}`));
      }
    }
  }
  const certificate = old.status?.certificate ?? '';
  if ((object.status?.certificate ?? '') === certificate) return errors;
  if (!rights.mayCertify) errors.push(forbidden(certificatePath, 'updates may not set certificate content'));
  else if (certificate !== '')
    errors.push(forbidden(certificatePath, 'updates may not modify existing certificate content'));
  return errors;
}

function textOf(base64: string): string {
  return new TextDecoder('latin1').decode(decodeBase64(base64));
}
