// DaemonSet (apps/v1). The template's own generation, a field of older versions, lives on as an annotation: the server
// raises it with every change of the template.

import type { DaemonSet, DaemonSetSpec, DaemonSetStatus, DaemonSetUpdateStrategy } from '@homeostat/api/types/apps-v1';
import { type FieldError, FieldPath, invalid, type Mutable, notSupported, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { podTemplateOptions } from '../pod-spec/options.ts';
import {
  defaultPodTemplateSpec,
  dropDisabledTemplateFields,
  validatePodTemplateSpec,
} from '../pod-spec/pod-template.ts';
import { toGoForm } from '../rules/go-form.ts';
import { intOrPercentNumber, validateAtMost100Percent, validateIntOrPercent } from '../rules/int-or-percent.ts';
import { validateLabelSelector } from '../rules/labels.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { printableSelector } from '../rules/printable.ts';
import { validateNonnegative } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { bumpGeneration, fieldDiffers, fieldSchema, keepField, validateImmutableSelector } from '../update-parts.ts';
import { isEmptySelector, matcherOf, mismatch, validateReplicaRestart } from './replica-template.ts';
import { validateCollisionCount, validateCounters } from './status-counters.ts';
import { strategyForm } from './strategy-form.ts';
import { warningsForTemplateOf } from './template-warnings.ts';

const kind = { group: 'apps', version: 'v1', kind: 'DaemonSet' };
const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const templateGenerationAnnotation = 'deprecated.daemonset.template.generation';

export const daemonSetStrategy: KindStrategy<DaemonSet> = {
  tracksGeneration: true,
  resetFields: [['status']],
  applyDefaults: applyDaemonSetDefaults,
  prepareForCreate(draft) {
    delete draft.status;
    dropDisabledTemplateFields(draft.spec?.template, undefined);
    setTemplateGeneration(draft, Math.max(templateGenerationOf(draft as DaemonSet), 1));
  },
  validateCreate(object) {
    const errors = validateKubeObjectMeta(
      object.metadata ?? {},
      { namespaced: true, name: nameIsDnsSubdomain },
      metadataPath,
    );
    validateDaemonSetSpec(object.spec, undefined, specPath, errors);
    return errors;
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    dropDisabledTemplateFields(draft.spec?.template, old.spec?.template);
    const generation = templateGenerationOf(old);
    const templateSchema = fieldSchema(kind, 'spec', 'template');
    const templateDiffers = !semanticEqual(draft.spec?.template, old.spec?.template, templateSchema);
    setTemplateGeneration(draft, templateDiffers ? generation + 1 : generation);
    if (fieldDiffers(draft as DaemonSet, old, 'spec', kind)) bumpGeneration(draft, old);
  },
  validateUpdate(object, old) {
    const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
    validateImmutableSelector(object.spec?.selector, old.spec?.selector, specPath.child('selector'), errors);
    validateDaemonSetSpec(object.spec, old.spec, specPath, errors);
    return errors;
  },
  warningsOnCreate: (object) => warningsForTemplateOf(object.spec?.template, undefined),
  warningsOnUpdate: (object, old) => warningsForTemplateOf(object.spec?.template, old.spec?.template),
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate(draft, old) {
        keepField(draft, old, 'spec');
      },
      validateUpdate(object, old) {
        const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
        validateDaemonSetStatus(object.status, old.status, new FieldPath('status'), errors);
        return errors;
      },
    },
  },
};

function applyDaemonSetDefaults(draft: Mutable<DaemonSet>): void {
  const spec = (draft.spec ??= {} as Mutable<DaemonSetSpec>);
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ||= 'RollingUpdate';
  if (strategy.type === 'RollingUpdate') (strategy.rollingUpdate ??= {}).maxUnavailable ??= 1;
  if (strategy.rollingUpdate !== undefined) {
    strategy.rollingUpdate.maxUnavailable ??= 0;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  // Whoever writes the object owns the annotation, so it is there before the server fills in its value.
  setTemplateGeneration(draft, templateGenerationOf(draft as DaemonSet));
  defaultPodTemplateSpec((spec.template ??= {}));
}

function templateGenerationOf(object: DaemonSet): number {
  const value = Number.parseInt(object.metadata?.annotations?.[templateGenerationAnnotation] ?? '0', 10);
  return Number.isNaN(value) ? 0 : value;
}

function setTemplateGeneration(draft: Mutable<DaemonSet>, generation: number): void {
  const annotations = ((draft.metadata ??= {}).annotations ??= {});
  annotations[templateGenerationAnnotation] = String(generation);
}

function validateDaemonSetSpec(
  spec: DaemonSetSpec | undefined,
  old: DaemonSetSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const selector = spec?.selector;
  const templatePath = path.child('template');
  validateLabelSelector(selector, path.child('selector'), errors);
  if (matcherOf(selector)?.(spec?.template?.metadata?.labels) === false)
    errors.push(mismatch(spec?.template, templatePath));
  if (selector !== undefined && isEmptySelector(selector)) {
    errors.push(
      invalid(path.child('selector'), printableSelector(selector), 'empty selector is invalid for daemonset'),
    );
  }
  validatePodTemplateSpec(spec?.template ?? {}, templatePath, errors, podTemplateOptions(old?.template));
  validateReplicaRestart(spec?.template, 'DaemonSet', templatePath, errors);
  validateNonnegative(spec?.minReadySeconds, path.child('minReadySeconds'), errors);
  validateUpdateStrategy(spec?.updateStrategy ?? {}, path.child('updateStrategy'), errors);
  validateNonnegative(spec?.revisionHistoryLimit, path.child('revisionHistoryLimit'), errors);
}

function validateUpdateStrategy(strategy: DaemonSetUpdateStrategy, path: FieldPath, errors: FieldError[]): void {
  if (strategy.type === 'OnDelete') return;
  if (strategy.type !== 'RollingUpdate') {
    errors.push(notSupported(path, toGoForm(strategy, strategyForm), ['RollingUpdate', 'OnDelete']));
    return;
  }
  const at = path.child('rollingUpdate');
  if (strategy.rollingUpdate === undefined) {
    errors.push(required(at));
    return;
  }
  const { maxUnavailable, maxSurge } = strategy.rollingUpdate;
  validateIntOrPercent(maxUnavailable, at.child('maxUnavailable'), errors);
  validateIntOrPercent(maxSurge, at.child('maxSurge'), errors);
  validateAtMost100Percent(maxUnavailable, at.child('maxUnavailable'), errors);
  validateAtMost100Percent(maxSurge, at.child('maxSurge'), errors);
  const hasUnavailable = intOrPercentNumber(maxUnavailable) !== 0;
  const hasSurge = intOrPercentNumber(maxSurge) !== 0;
  if (hasUnavailable && hasSurge) {
    errors.push(invalid(at.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (!hasUnavailable && !hasSurge) {
    errors.push(required(at.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
  }
}

function validateDaemonSetStatus(
  status: DaemonSetStatus | undefined,
  old: DaemonSetStatus | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  validateCounters(
    status ?? {},
    [
      'currentNumberScheduled',
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ],
    path,
    errors,
  );
  validateCollisionCount(status?.collisionCount, old?.collisionCount, path.child('collisionCount'), errors);
}
