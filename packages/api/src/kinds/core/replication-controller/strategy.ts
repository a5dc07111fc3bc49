// ReplicationControllers: the first generation of ReplicaSets, with a plain map as selector.

import {
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isDns1123Label,
  matchesLabels,
  notSupported,
  required,
  selectorFromSet,
} from '@homeostat/machinery';
import type { ReplicationController, ReplicationControllerStatus } from '@homeostat/api/types/core-v1';
import type { KindStrategy } from '../../../strategy.ts';
import {
  validateKubeFinalizers,
  validateKubeObjectMetaUpdate,
  validateObjectMeta,
} from '../../metadata/object-meta.ts';
import { podTemplateOptions } from '../../pod-spec/options.ts';
import {
  defaultPodTemplateSpec,
  dropDisabledTemplateFields,
  validatePodTemplateSpec,
} from '../../pod-spec/pod-template.ts';
import { warningsForPodTemplate } from '../../pod-spec/warnings.ts';
import { nameIsDnsSubdomain, type NameRule } from '../../rules/names.ts';
import { validateNonnegative } from '../../rules/values.ts';
import { bumpGenerationOn, keepField } from '../../update-parts.ts';

const kind = { group: '', version: 'v1', kind: 'ReplicationController' };
const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const statusPath = new FieldPath('status');

/** The kind's declarative rule looks at names alone: the prefix of a generated one is not reported. */
const nameRule: NameRule = (name, prefix) => (prefix ? [] : nameIsDnsSubdomain(name, false));

export const replicationControllerStrategy: KindStrategy<ReplicationController> = {
  tracksGeneration: true,
  nameRule,
  defaultPropagation: 'orphan',
  resetFields: [['status']],
  applyDefaults(draft) {
    const spec = (draft.spec ??= {});
    spec.replicas ??= 1;
    if (spec.template === undefined) return;
    defaultPodTemplateSpec(spec.template);
    const labels = spec.template.metadata?.labels;
    if (labels === undefined) return;
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
    const metadata = (draft.metadata ??= {});
    if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  },
  prepareForCreate(draft) {
    delete draft.status;
    (draft.metadata ??= {}).generation = 1;
    dropDisabledTemplateFields(draft.spec?.template, undefined);
  },
  validateCreate(controller) {
    const metadata = controller.metadata ?? {};
    const errors = validateObjectMeta(metadata, { namespaced: true, name: nameRule }, metadataPath);
    errors.push(...validateKubeFinalizers(metadata, metadataPath));
    validateSpec(controller, undefined, errors);
    return errors;
  },
  warningsOnCreate: (controller) => [
    ...warningsForName(controller.metadata?.name ?? ''),
    ...warningsForPodTemplate(controller.spec?.template, undefined, specPath.child('template')),
  ],
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    dropDisabledTemplateFields(draft.spec?.template, old.spec?.template);
    bumpGenerationOn(draft, old, ['spec'], kind);
  },
  validateUpdate(controller, old) {
    const errors = validateKubeObjectMetaUpdate(controller.metadata ?? {}, old.metadata ?? {}, metadataPath);
    validateSpec(controller, old, errors);
    return errors;
  },
  // The old template is the one looked at, as upstream does.
  warningsOnUpdate: (controller, old) =>
    controller.metadata?.generation === old.metadata?.generation
      ? []
      : warningsForPodTemplate(old.spec?.template, controller.spec?.template, specPath.child('template')),
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate: (draft, old) => keepField(draft, old, 'spec'),
      validateUpdate(controller, old) {
        const errors = validateKubeObjectMetaUpdate(controller.metadata ?? {}, old.metadata ?? {}, metadataPath);
        validateStatus(controller.status ?? { replicas: 0 }, errors);
        return errors;
      },
    },
  },
  selectableFields: (controller) => ({ 'status.replicas': String(controller.status?.replicas ?? 0) }),
  fieldLabels: ['status.replicas'],
};

function validateSpec(
  controller: ReplicationController,
  old: ReplicationController | undefined,
  errors: FieldError[],
): void {
  const spec = controller.spec ?? {};
  const selector = selectorFromSet(spec.selector);
  const hasSelector = Object.keys(spec.selector ?? {}).length > 0;
  validateNonnegative(spec.minReadySeconds, specPath.child('minReadySeconds'), errors);
  if (!hasSelector) errors.push(required(specPath.child('selector')));
  validateNonnegative(spec.replicas, specPath.child('replicas'), errors);
  const path = specPath.child('template');
  const template = spec.template;
  if (template === undefined) {
    errors.push(required(path));
    return;
  }
  const labels = template.metadata?.labels;
  if (hasSelector && !matchesLabels(selector, labels)) {
    const text = '`selector` does not match template `labels`';
    errors.push(invalid(path.child('metadata', 'labels'), labels ?? null, text));
  }
  validatePodTemplateSpec(template, path, errors, podTemplateOptions(old?.spec?.template));
  const policy: string = template.spec?.restartPolicy ?? '';
  if (policy !== 'Always') errors.push(notSupported(path.child('spec', 'restartPolicy'), policy, ['Always']));
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const text = 'activeDeadlineSeconds in ReplicationController is not Supported';
    errors.push(forbidden(path.child('spec', 'activeDeadlineSeconds'), text));
  }
}

function validateStatus(status: ReplicationControllerStatus, errors: FieldError[]): void {
  const counts = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;
  for (const field of ['replicas', ...counts, 'observedGeneration'] as const) {
    validateNonnegative(status[field], statusPath.child(field), errors);
  }
  for (const field of counts) {
    const count = status[field] ?? 0;
    if (count <= (status.replicas ?? 0)) continue;
    errors.push(invalid(statusPath.child(field), count, 'cannot be greater than status.replicas'));
  }
  const available = status.availableReplicas ?? 0;
  if (available > (status.readyReplicas ?? 0)) {
    errors.push(invalid(statusPath.child('availableReplicas'), available, 'cannot be greater than readyReplicas'));
  }
}

function warningsForName(name: string): readonly string[] {
  const problems = isDns1123Label(name);
  if (problems.length === 0) return [];
  const what =
    'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [`${metadataPath.child('name').toString()}: ${what}: [${problems.join(' ')}]`];
}
