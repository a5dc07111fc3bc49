// IngressClass (networking.k8s.io/v1).

import type { IngressClass, IngressClassParametersReference } from '@homeostat/api/types/networking-v1';
import {
  type FieldError,
  FieldPath,
  forbidden,
  notSupported,
  required,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateDomainPath } from '../rules/domain-path.ts';
import { nameIsDnsLabel } from '../rules/names.ts';
import { pushInvalid } from '../rules/values.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateImmutable } from '../update-parts.ts';
import { validateTypedReference } from './ingress-backend.ts';

const controllerBytesMax = 250;
const specPath = new FieldPath('spec');

export const ingressClassStrategy: KindStrategy<IngressClass> = standardStrategy<IngressClass>({
  kind: { group: 'networking.k8s.io', version: 'v1', kind: 'IngressClass' },
  namespaced: false,
  generationFields: ['spec'],
  validate(object, errors, old) {
    const controller = object.spec?.controller ?? '';
    const path = specPath.child('controller');
    if (old !== undefined) validateImmutable(controller, old.spec?.controller ?? '', path, errors);
    if (utf8Length(controller) > controllerBytesMax) errors.push(tooLong(path, controllerBytesMax));
    validateDomainPath(controller, path, errors);
    const parameters = object.spec?.parameters;
    if (parameters !== undefined) validateParameters(parameters, specPath.child('parameters'), errors);
  },
  more: {
    applyDefaults(draft) {
      const parameters = draft.spec?.parameters;
      if (parameters !== undefined) parameters.scope ??= 'Cluster';
    },
  },
});

function validateParameters(parameters: IngressClassParametersReference, path: FieldPath, errors: FieldError[]): void {
  validateTypedReference(parameters, path, errors);
  const { scope, namespace } = parameters;
  const at = path.child('namespace');
  if (scope === undefined) errors.push(required(path.child('scope')));
  else if (scope === 'Namespace') {
    if (namespace === undefined) errors.push(required(at, "`parameters.scope` is set to 'Namespace'"));
    else pushInvalid(nameIsDnsLabel(namespace, false), namespace, at, errors);
  } else if (scope === 'Cluster') {
    if (namespace !== undefined) errors.push(forbidden(at, "`parameters.scope` is set to 'Cluster'"));
  } else errors.push(notSupported(path.child('scope'), scope, ['Cluster', 'Namespace']));
}
