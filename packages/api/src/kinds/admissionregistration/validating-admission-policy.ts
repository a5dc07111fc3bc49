// ValidatingAdmissionPolicy and its binding (admissionregistration.k8s.io/v1).

import type {
  AuditAnnotation,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicySpec,
  Validation,
} from '@homeostat/api/types/admissionregistration-v1';
import {
  duplicate,
  type FieldError,
  FieldPath,
  invalid,
  isQualifiedName,
  type Mutable,
  notSupported,
  required,
  tooLong,
  tooMany,
  utf8Length,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { AdmissionExpressions } from './expression-checks.ts';
import { validateConditions } from '../rules/conditions.ts';
import { pushInvalid } from '../rules/values.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateMatchConditions } from './match-conditions.ts';
import {
  validateExpression,
  validateFailurePolicy,
  validateParamKind,
  validateParamRef,
  validatePolicyName,
  validateVariables,
} from './policy-parts.ts';
import { defaultMatchResources, validateMatchConstraints, validateMatchResources } from './rules.ts';

const group = { group: 'admissionregistration.k8s.io', version: 'v1' };
const specPath = new FieldPath('spec');
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const actions = ['Audit', 'Deny', 'Warn'];
const annotationsMax = 20;
const annotationBytesMax = 5 * 1024;
const emptyText = 'validations or auditAnnotations must contain at least one item';

export const validatingAdmissionPolicyStrategy: KindStrategy<ValidatingAdmissionPolicy> =
  standardStrategy<ValidatingAdmissionPolicy>({
    kind: { ...group, kind: 'ValidatingAdmissionPolicy' },
    namespaced: false,
    generationFields: ['spec'],
    status: true,
    validate(object, errors, _old, { cel }) {
      const hasParams = object.spec?.paramKind !== undefined;
      const expressions = cel === undefined ? undefined : new AdmissionExpressions(cel, { hasParams });
      validateSpec(object.metadata?.name ?? '', object.spec ?? {}, errors, expressions);
    },
    validateStatus(object, _old, errors) {
      validateConditions(object.status?.conditions, new FieldPath('status.conditions'), errors);
    },
    more: {
      allowUnconditionalUpdate: false,
      needsCel: () => true,
      applyDefaults(draft) {
        const spec = (draft.spec ??= {} as Mutable<ValidatingAdmissionPolicySpec>);
        spec.failurePolicy ??= 'Fail';
        defaultMatchResources(spec.matchConstraints);
      },
    },
  });

export const validatingAdmissionPolicyBindingStrategy: KindStrategy<ValidatingAdmissionPolicyBinding> =
  standardStrategy<ValidatingAdmissionPolicyBinding>({
    kind: { ...group, kind: 'ValidatingAdmissionPolicyBinding' },
    namespaced: false,
    generationFields: ['spec'],
    validate(object, errors) {
      validatePolicyName(object.spec?.policyName ?? '', specPath.child('policyName'), errors);
      validateParamRef(object.spec?.paramRef, specPath.child('paramRef'), errors);
      // The misspelt path is upstream's.
      validateMatchResources(object.spec?.matchResources, specPath.child('matchResources'), errors);
      validateActions(object.spec?.validationActions ?? [], specPath.child('validationActions'), errors);
    },
    more: {
      allowUnconditionalUpdate: false,
      applyDefaults: (draft) => defaultMatchResources(draft.spec?.matchResources),
    },
  });

function validateSpec(
  name: string,
  spec: ValidatingAdmissionPolicySpec,
  errors: FieldError[],
  expressions: AdmissionExpressions | undefined,
): void {
  const path = specPath;
  validateFailurePolicy(spec.failurePolicy, path.child('failurePolicy'), errors);
  validateParamKind(spec.paramKind, path.child('paramKind'), errors);
  validateMatchConstraints(spec.matchConstraints, path.child('matchConstraints'), errors);
  validateMatchConditions(spec.matchConditions ?? [], path.child('matchConditions'), errors, expressions);
  validateVariables(spec.variables ?? [], path.child('variables'), errors, expressions);
  const validations = spec.validations ?? [];
  const annotations = spec.auditAnnotations ?? [];
  if (validations.length === 0 && annotations.length === 0) {
    errors.push(required(path.child('validations'), emptyText), required(path.child('auditAnnotations'), emptyText));
    return;
  }
  for (const [index, validation] of validations.entries()) {
    validateValidation(validation, path.child('validations').index(index), errors, expressions);
  }
  validateAnnotations(name, annotations, errors, expressions);
}

function validateValidation(
  validation: Validation,
  path: FieldPath,
  errors: FieldError[],
  expressions: AdmissionExpressions | undefined,
): void {
  const { expression, message = '', messageExpression = '', reason } = validation;
  if (validateExpression(expression, path.child('expression'), errors)) {
    expressions?.check(expression, ['bool'], path.child('expression'), errors);
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalid(path.child('messageExpression'), messageExpression, 'must be non-empty if specified'));
  } else if (messageExpression !== '') {
    expressions?.check(messageExpression, ['string'], path.child('messageExpression'), errors);
  }
  const text = message.trim();
  if (message !== '' && text === '') {
    errors.push(invalid(path.child('message'), message, 'must be non-empty if specified'));
  } else if (/[\r\n]/.test(text)) errors.push(invalid(path.child('message'), message, 'must not contain line breaks'));
  if (reason !== undefined && !reasons.includes(reason))
    errors.push(notSupported(path.child('reason'), reason, reasons));
}

function validateAnnotations(
  name: string,
  annotations: readonly AuditAnnotation[],
  errors: FieldError[],
  expressions: AdmissionExpressions | undefined,
): void {
  const path = specPath.child('auditAnnotations');
  if (annotations.length > annotationsMax) errors.push(tooMany(path, annotations.length, annotationsMax));
  for (const [index, { key = '', valueExpression = '' }] of annotations.entries()) {
    const at = path.index(index);
    const full = name === '' ? key : `${name}/${key}`;
    pushInvalid(isQualifiedName(full), full, at.child('key'), errors);
    if (valueExpression.trim() === '') {
      errors.push(required(at.child('valueExpression'), 'valueExpression is not specified'));
    } else if (utf8Length(valueExpression) > annotationBytesMax) {
      errors.push(tooLong(at.child('valueExpression'), annotationBytesMax));
    } else expressions?.check(valueExpression, ['string', 'null_type'], at.child('valueExpression'), errors);
    if (annotations.findIndex((other) => other.key === key) < index) errors.push(duplicate(at.child('key'), key));
  }
}

function validateActions(list: readonly string[], path: FieldPath, errors: FieldError[]): void {
  for (const [index, action] of list.entries()) {
    if (!actions.includes(action)) errors.push(notSupported(path.index(index), action, actions));
    if (list.indexOf(action) < index) errors.push(duplicate(path.index(index), action));
  }
  if (list.includes('Deny') && list.includes('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
    errors.push(invalid(path, list, `must not contain both Deny and Warn (${why})`));
  }
  if (list.length === 0) errors.push(required(path, 'at least one validation action is required'));
}
