// APIService (apiregistration.k8s.io/v1): who serves a group version, this server or another one. Named after both.

import type { APIService, APIServiceCondition, APIServiceSpec } from '@homeostat/api/types/apiregistration-v1';
import {
  type FieldError,
  FieldPath,
  formatTime,
  invalid,
  isDns1035Label,
  isDns1123Subdomain,
  isPortNumber,
  type Mutable,
  required,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { base64Bytes } from '../rules/base64.ts';
import { nameIsPathSegment } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';
import { standardStrategy } from '../standard-strategy.ts';

const specPath = new FieldPath('spec');
const groupPriorityMax = 20_000;
const versionPriorityMax = 1_000;

export const apiServiceStrategy: KindStrategy<APIService> = standardStrategy<APIService>({
  kind: { group: 'apiregistration.k8s.io', version: 'v1', kind: 'APIService' },
  namespaced: false,
  name: nameIsPathSegment,
  status: true,
  validate(object, errors) {
    validateName(object, errors);
    validateSpec(object.spec ?? ({} as APIServiceSpec), specPath, errors);
  },
  prepareForCreate(draft, { nowMs }) {
    if (draft.spec?.service === undefined) draft.status = { conditions: [localCondition(nowMs)] };
  },
  more: {
    allowUnconditionalUpdate: false,
    applyDefaults(draft) {
      const service = (draft.spec as Mutable<APIServiceSpec> | undefined)?.service;
      if (service !== undefined) service.port ??= 443;
    },
  },
});

/** What this server serves itself is there as long as the server is. */
function localCondition(nowMs: number): APIServiceCondition {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: formatTime(nowMs),
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

function validateName(object: APIService, errors: FieldError[]): void {
  const name = object.metadata?.name ?? '';
  const wanted = `${object.spec?.version ?? ''}.${object.spec?.group ?? ''}`;
  if (name === wanted) return;
  const text = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(wanted)}`;
  errors.push(invalid(new FieldPath('metadata.name'), name, text));
}

function validateSpec(spec: APIServiceSpec, path: FieldPath, errors: FieldError[]): void {
  const { group = '', version = '', groupPriorityMinimum: groupPriority = 0, versionPriority = 0 } = spec;
  if (group === '' && version !== 'v1') {
    errors.push(required(path.child('group'), 'only v1 may have an empty group and it better be legacy kube'));
  }
  if (group !== '') pushInvalid(isDns1123Subdomain(group), group, path.child('group'), errors);
  pushInvalid(isDns1035Label(version), version, path.child('version'), errors);
  validatePriority(groupPriority, groupPriorityMax, path.child('groupPriorityMinimum'), errors);
  validatePriority(versionPriority, versionPriorityMax, path.child('versionPriority'), errors);
  if (spec.service === undefined) validateLocal(spec, path, errors);
  else validateRemote(spec, path, errors);
}

function validatePriority(priority: number, max: number, path: FieldPath, errors: FieldError[]): void {
  if (priority <= 0 || priority > max) errors.push(invalid(path, priority, `must be positive and less than ${max}`));
}

function validateLocal(spec: APIServiceSpec, path: FieldPath, errors: FieldError[]): void {
  const caBytes = base64Bytes(spec.caBundle ?? '');
  if (caBytes > 0) {
    errors.push(invalid(path.child('caBundle'), `${caBytes} bytes`, 'local APIServices may not have a caBundle'));
  }
  if (spec.insecureSkipTLSVerify === true) {
    errors.push(
      invalid(path.child('insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify'),
    );
  }
}

function validateRemote(spec: APIServiceSpec, path: FieldPath, errors: FieldError[]): void {
  const service = path.child('service');
  if ((spec.service?.namespace ?? '') === '') errors.push(required(service.child('namespace')));
  if ((spec.service?.name ?? '') === '') errors.push(required(service.child('name')));
  const port = spec.service?.port ?? 0;
  const texts = isPortNumber(port);
  if (texts.length > 0) errors.push(invalid(service.child('port'), port, `port is not valid: ${texts.join(',')}`));
  if (spec.insecureSkipTLSVerify === true && (spec.caBundle ?? '') !== '') {
    errors.push(invalid(path.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present'));
  }
}
