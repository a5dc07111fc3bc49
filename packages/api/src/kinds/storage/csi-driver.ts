// CSIDriver (storage.k8s.io/v1). It starts without a generation and gets one with its first change of spec.

import type { CSIDriver, CSIDriverSpec, TokenRequest } from '@homeostat/api/types/storage-v1';
import {
  duplicate,
  type FieldError,
  FieldPath,
  invalid,
  type Mutable,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { bumpGenerationOn, validateImmutable } from '../update-parts.ts';

const kind = { group: 'storage.k8s.io', version: 'v1', kind: 'CSIDriver' };
const specPath = new FieldPath('spec');
const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycleModes = ['Persistent', 'Ephemeral'];
const tokenSecondsMin = 600;
const tokenSecondsMax = 2 ** 32;
const updateSecondsMin = 10;

export const csiDriverStrategy: KindStrategy<CSIDriver> = standardStrategy<CSIDriver>({
  kind,
  namespaced: false,
  prepareForUpdate(draft, old) {
    bumpGenerationOn(draft, old, ['spec'], kind);
  },
  validate(object, errors, old) {
    validateSpec(object.spec ?? {}, specPath, errors);
    if (old === undefined) return;
    // The misspelt path is upstream's.
    validateImmutable(
      object.spec?.attachRequired,
      old.spec?.attachRequired,
      specPath.child('attachedRequired'),
      errors,
    );
    const modes = specPath.child('volumeLifecycleModes');
    validateImmutable(object.spec?.volumeLifecycleModes, old.spec?.volumeLifecycleModes, modes, errors);
  },
  more: {
    allowUnconditionalUpdate: false,
    applyDefaults: applyDriverDefaults,
    warningsOnCreate: (object) => warningsFor(object),
    warningsOnUpdate: (object) => warningsFor(object),
  },
});

function applyDriverDefaults(draft: Mutable<CSIDriver>): void {
  const spec = (draft.spec ??= {} as Mutable<CSIDriverSpec>);
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

function validateSpec(spec: CSIDriverSpec, path: FieldPath, errors: FieldError[]): void {
  if (spec.attachRequired === undefined) errors.push(required(path.child('attachedRequired')));
  if (spec.podInfoOnMount === undefined) errors.push(required(path.child('podInfoOnMount')));
  if (spec.storageCapacity === undefined) errors.push(required(path.child('storageCapacity')));
  const policy = spec.fsGroupPolicy;
  if (policy !== undefined && !groupPolicies.includes(policy)) {
    errors.push(notSupported(path.child('fsGroupPolicy'), policy, groupPolicies));
  }
  validateTokenRequests(spec.tokenRequests ?? [], path.child('tokenRequests'), errors);
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (!lifecycleModes.includes(mode))
      errors.push(notSupported(path.child('volumeLifecycleModes'), mode, lifecycleModes));
  }
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (period !== undefined && period < updateSecondsMin) {
    const text = `must be greater than or equal to ${updateSecondsMin} seconds`;
    errors.push(invalid(path.child('nodeAllocatableUpdatePeriodSeconds'), period, text));
  }
}

function validateTokenRequests(requests: readonly TokenRequest[], path: FieldPath, errors: FieldError[]): void {
  const audiences = new Set<string>();
  for (const [index, { audience = '', expirationSeconds: seconds }] of requests.entries()) {
    if (audiences.has(audience)) {
      errors.push(duplicate(path.index(index).child('audience'), audience));
      continue;
    }
    audiences.add(audience);
    if (seconds === undefined) continue;
    const at = path.index(index).child('expirationSeconds');
    if (seconds < tokenSecondsMin) errors.push(invalid(at, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds > tokenSecondsMax)
      errors.push(invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  }
}

function warningsFor(object: CSIDriver): readonly string[] {
  if ((object.spec?.tokenRequests ?? []).length === 0 || object.spec?.serviceAccountTokenInSecrets !== undefined)
    return [];
  const advice = 'set to true to prevent possible logging of tokens in volume attributes';
  return [`spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, ${advice}`];
}
