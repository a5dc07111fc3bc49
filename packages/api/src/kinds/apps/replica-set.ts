// ReplicaSet (apps/v1).

import type { ReplicaSet, ReplicaSetSpec, ReplicaSetStatus } from '@homeostat/api/types/apps-v1';
import { type FieldError, FieldPath, invalid, type Mutable } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { defaultPodTemplateSpec, dropDisabledTemplateFields } from '../pod-spec/pod-template.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { validateNonnegative } from '../rules/values.ts';
import { bumpGenerationOn, keepField, validateImmutableSelector } from '../update-parts.ts';
import { validateRequiredSelector, validateSelectedTemplate } from './replica-template.ts';
import { validateCounters } from './status-counters.ts';
import { warningsOnReplicaCreate, warningsOnReplicaUpdate } from './template-warnings.ts';

const kind = { group: 'apps', version: 'v1', kind: 'ReplicaSet' };
const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');

export const replicaSetStrategy: KindStrategy<ReplicaSet> = {
  tracksGeneration: true,
  resetFields: [['status']],
  applyDefaults(draft) {
    const spec = (draft.spec ??= {} as Mutable<ReplicaSetSpec>);
    spec.replicas ??= 1;
    defaultPodTemplateSpec((spec.template ??= {}));
  },
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
    validateReplicaSetSpec(object.spec, undefined, specPath, errors);
    return errors;
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    dropDisabledTemplateFields(draft.spec?.template, old.spec?.template);
    bumpGenerationOn(draft, old, ['spec'], kind);
  },
  validateUpdate(object, old) {
    const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
    validateReplicaSetSpec(object.spec, old.spec, specPath, errors);
    validateImmutableSelector(object.spec?.selector, old.spec?.selector, specPath.child('selector'), errors);
    return errors;
  },
  warningsOnCreate: (object) => warningsOnReplicaCreate(object, object.spec?.template),
  warningsOnUpdate: (object, old) => warningsOnReplicaUpdate(object, object.spec?.template, old, old.spec?.template),
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate(draft, old) {
        keepField(draft, old, 'spec');
      },
      validateUpdate(object, old) {
        const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
        validateReplicaSetStatus(object.status, new FieldPath('status'), errors);
        return errors;
      },
    },
  },
};

function validateReplicaSetSpec(
  spec: ReplicaSetSpec | undefined,
  old: ReplicaSetSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  validateNonnegative(spec?.replicas, path.child('replicas'), errors);
  validateNonnegative(spec?.minReadySeconds, path.child('minReadySeconds'), errors);
  validateRequiredSelector(spec?.selector, 'deployment', path.child('selector'), errors);
  validateSelectedTemplate(spec ?? {}, old?.template, { kind: 'ReplicaSet', workload: 'deployment' }, path, errors);
}

function validateReplicaSetStatus(status: ReplicaSetStatus | undefined, path: FieldPath, errors: FieldError[]): void {
  validateCounters(
    status ?? {},
    [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'terminatingReplicas',
      'observedGeneration',
    ],
    path,
    errors,
  );
  const { replicas = 0, fullyLabeledReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status ?? {};
  for (const [name, value] of Object.entries({ fullyLabeledReplicas, readyReplicas, availableReplicas })) {
    if (value > replicas) errors.push(invalid(path.child(name), value, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    errors.push(invalid(path.child('availableReplicas'), availableReplicas, 'cannot be greater than readyReplicas'));
  }
}
