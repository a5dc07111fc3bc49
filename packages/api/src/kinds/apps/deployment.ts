// Deployment (apps/v1): defaults, rules and generation. Its generation counts annotations too, because the controller
// keeps some of its state there.

import type { Deployment, DeploymentSpec, DeploymentStatus, DeploymentStrategy } from '@homeostat/api/types/apps-v1';
import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  type Mutable,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { defaultPodTemplateSpec, dropDisabledTemplateFields } from '../pod-spec/pod-template.ts';
import { toGoForm } from '../rules/go-form.ts';
import { intOrPercentNumber, validateAtMost100Percent, validateIntOrPercent } from '../rules/int-or-percent.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { validateNonnegative } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { bumpGeneration, fieldDiffers, keepField, keepLabels, validateImmutableSelector } from '../update-parts.ts';
import { validateRequiredSelector, validateSelectedTemplate } from './replica-template.ts';
import { validateCollisionCount, validateCounters } from './status-counters.ts';
import { strategyForm } from './strategy-form.ts';
import { warningsOnReplicaCreate, warningsOnReplicaUpdate } from './template-warnings.ts';

const kind = { group: 'apps', version: 'v1', kind: 'Deployment' };
const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const rules = { kind: 'ReplicaSet', workload: 'deployment' };
const strategyTypes = ['Recreate', 'RollingUpdate'];

export const deploymentStrategy: KindStrategy<Deployment> = {
  tracksGeneration: true,
  resetFields: [['status']],
  applyDefaults: applyDeploymentDefaults,
  prepareForCreate(draft) {
    delete draft.status;
    dropDisabledTemplateFields(draft.spec?.template, undefined);
  },
  validateCreate(object) {
    const errors = validateKubeObjectMeta(
      object.metadata ?? {},
      { namespaced: true, name: nameIsDnsSubdomain },
      metadataPath,
    );
    validateDeploymentSpec(object.spec, undefined, specPath, errors);
    return errors;
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    dropDisabledTemplateFields(draft.spec?.template, old.spec?.template);
    const annotationsDiffer = !semanticEqual(draft.metadata?.annotations, old.metadata?.annotations);
    if (annotationsDiffer || fieldDiffers(draft as Deployment, old, 'spec', kind)) bumpGeneration(draft, old);
  },
  validateUpdate(object, old) {
    const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
    validateDeploymentSpec(object.spec, old.spec, specPath, errors);
    validateImmutableSelector(object.spec?.selector, old.spec?.selector, specPath.child('selector'), errors);
    return errors;
  },
  warningsOnCreate: (object) => warningsOnReplicaCreate(object, object.spec?.template),
  warningsOnUpdate: (object, old) => warningsOnReplicaUpdate(object, object.spec?.template, old, old.spec?.template),
  subresources: {
    status: {
      resetFields: [['spec'], ['metadata', 'labels']],
      prepareForUpdate(draft, old) {
        keepField(draft, old, 'spec');
        keepLabels(draft, old);
      },
      validateUpdate(object, old) {
        const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
        validateDeploymentStatus(object.status, old.status, new FieldPath('status'), errors);
        return errors;
      },
    },
  },
};

function applyDeploymentDefaults(draft: Mutable<Deployment>): void {
  const spec = (draft.spec ??= {} as Mutable<DeploymentSpec>);
  spec.replicas ??= 1;
  const strategy = (spec.strategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= '25%';
    rolling.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
  defaultPodTemplateSpec((spec.template ??= {}));
}

function validateDeploymentSpec(
  spec: DeploymentSpec | undefined,
  old: DeploymentSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  validateNonnegative(spec?.replicas, path.child('replicas'), errors);
  validateRequiredSelector(spec?.selector, rules.workload, path.child('selector'), errors);
  validateSelectedTemplate(spec ?? {}, old?.template, rules, path, errors);
  validateStrategy(spec?.strategy ?? {}, path.child('strategy'), errors);
  validateNonnegative(spec?.minReadySeconds, path.child('minReadySeconds'), errors);
  validateNonnegative(spec?.revisionHistoryLimit, path.child('revisionHistoryLimit'), errors);
  const deadline = spec?.progressDeadlineSeconds;
  if (deadline === undefined) return;
  validateNonnegative(deadline, path.child('progressDeadlineSeconds'), errors);
  if (deadline <= (spec?.minReadySeconds ?? 0)) {
    errors.push(invalid(path.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds'));
  }
}

function validateStrategy(strategy: DeploymentStrategy, path: FieldPath, errors: FieldError[]): void {
  const rolling = strategy.rollingUpdate;
  const at = path.child('rollingUpdate');
  switch (strategy.type) {
    case 'Recreate':
      if (rolling !== undefined) errors.push(forbidden(at, "may not be specified when strategy `type` is 'Recreate'"));
      return;
    case 'RollingUpdate':
      if (rolling === undefined) {
        errors.push(required(at, 'this should be defaulted and never be nil'));
        return;
      }
      validateIntOrPercent(rolling.maxUnavailable, at.child('maxUnavailable'), errors);
      validateIntOrPercent(rolling.maxSurge, at.child('maxSurge'), errors);
      if (intOrPercentNumber(rolling.maxUnavailable) === 0 && intOrPercentNumber(rolling.maxSurge) === 0) {
        errors.push(invalid(at.child('maxUnavailable'), rolling.maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
      }
      validateAtMost100Percent(rolling.maxUnavailable, at.child('maxUnavailable'), errors);
      return;
    default:
      errors.push(notSupported(path, toGoForm(strategy, strategyForm), strategyTypes));
  }
}

function validateDeploymentStatus(
  status: DeploymentStatus | undefined,
  old: DeploymentStatus | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  validateCounters(
    status ?? {},
    [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ],
    path,
    errors,
  );
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status ?? {};
  const parts = { updatedReplicas, readyReplicas, availableReplicas };
  for (const [name, value] of Object.entries(parts)) {
    if (value > replicas) errors.push(invalid(path.child(name), value, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    errors.push(invalid(path.child('availableReplicas'), availableReplicas, 'cannot be greater than readyReplicas'));
  }
  validateCollisionCount(status?.collisionCount, old?.collisionCount, path.child('collisionCount'), errors);
}
