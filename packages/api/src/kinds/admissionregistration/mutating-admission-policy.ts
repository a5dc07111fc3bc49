// MutatingAdmissionPolicy and its binding (admissionregistration.k8s.io/v1).

import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicySpec,
  Mutation,
} from '@homeostat/api/types/admissionregistration-v1';
import { type FieldError, FieldPath, invalid, type Mutable, notSupported, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { AdmissionExpressions } from './expression-checks.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateMatchConditions } from './match-conditions.ts';
import {
  validateFailurePolicy,
  validateParamKind,
  validateParamRef,
  validatePolicyName,
  validateVariables,
} from './policy-parts.ts';
import { defaultMatchResources, validateMatchConstraints, validateMatchResources } from './rules.ts';

const group = { group: 'admissionregistration.k8s.io', version: 'v1' };
const specPath = new FieldPath('spec');
const patchFields = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;

export const mutatingAdmissionPolicyStrategy: KindStrategy<MutatingAdmissionPolicy> =
  standardStrategy<MutatingAdmissionPolicy>({
    kind: { ...group, kind: 'MutatingAdmissionPolicy' },
    namespaced: false,
    generationFields: ['spec'],
    validate(object, errors, _old, { cel }) {
      const hasParams = object.spec?.paramKind !== undefined;
      const expressions = cel === undefined ? undefined : new AdmissionExpressions(cel, { hasParams, mutates: true });
      validateSpec(object.spec ?? {}, specPath, errors, expressions);
    },
    more: {
      allowUnconditionalUpdate: false,
      needsCel: () => true,
      applyDefaults(draft) {
        const spec = (draft.spec ??= {} as Mutable<MutatingAdmissionPolicySpec>);
        spec.failurePolicy ??= 'Fail';
        defaultMatchResources(spec.matchConstraints);
      },
    },
  });

export const mutatingAdmissionPolicyBindingStrategy: KindStrategy<MutatingAdmissionPolicyBinding> =
  standardStrategy<MutatingAdmissionPolicyBinding>({
    kind: { ...group, kind: 'MutatingAdmissionPolicyBinding' },
    namespaced: false,
    generationFields: ['spec'],
    validate(object, errors) {
      validatePolicyName(object.spec?.policyName ?? '', specPath.child('policyName'), errors);
      validateParamRef(object.spec?.paramRef, specPath.child('paramRef'), errors);
      validateMatchResources(object.spec?.matchResources, specPath.child('matchResources'), errors);
    },
    more: {
      allowUnconditionalUpdate: false,
      applyDefaults: (draft) => defaultMatchResources(draft.spec?.matchResources),
    },
  });

function validateSpec(
  spec: MutatingAdmissionPolicySpec,
  path: FieldPath,
  errors: FieldError[],
  expressions: AdmissionExpressions | undefined,
): void {
  validateFailurePolicy(spec.failurePolicy, path.child('failurePolicy'), errors);
  validateParamKind(spec.paramKind, path.child('paramKind'), errors);
  validateMatchConstraints(spec.matchConstraints, path.child('matchConstraints'), errors);
  validateMatchConditions(spec.matchConditions ?? [], path.child('matchConditions'), errors, expressions);
  validateVariables(spec.variables ?? [], path.child('variables'), errors, expressions);
  const mutations = spec.mutations ?? [];
  if (mutations.length === 0)
    errors.push(required(path.child('mutations'), 'mutations must contain at least one item'));
  for (const [index, mutation] of mutations.entries()) {
    validateMutation(mutation, path.child('mutations').index(index), errors, expressions);
  }
  const policy: string = spec.reinvocationPolicy ?? '';
  const at = path.child('reinvocationPolicy');
  if (policy === '') errors.push(required(at));
  else if (policy !== 'IfNeeded' && policy !== 'Never') errors.push(notSupported(at, policy, ['IfNeeded', 'Never']));
}

function validateMutation(
  mutation: Mutation,
  path: FieldPath,
  errors: FieldError[],
  expressions: AdmissionExpressions | undefined,
): void {
  const type: string = mutation.patchType ?? '';
  if (type === '') {
    errors.push(required(path.child('patchType')));
    return;
  }
  if (type !== 'ApplyConfiguration' && type !== 'JSONPatch') {
    errors.push(notSupported(path.child('patchType'), type, Object.keys(patchFields)));
    return;
  }
  const field = patchFields[type];
  const other = type === 'JSONPatch' ? patchFields.ApplyConfiguration : patchFields.JSONPatch;
  const patch = mutation[field];
  if (patch === undefined) errors.push(required(path.child(field), `must be specified when patchType is ${type}`));
  else if ((patch.expression ?? '').trim() === '') errors.push(required(path.child(field, 'expression')));
  else {
    const wanted = type === 'JSONPatch' ? 'list(JSONPatch)' : 'Object';
    expressions?.check(patch.expression ?? '', [wanted], path.child(field, 'expression'), errors);
  }
  if (mutation[other] !== undefined) {
    errors.push(invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${type}`));
  }
}
