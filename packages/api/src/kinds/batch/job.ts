// Job (batch/v1). The server makes the selector from the Job's uid, so that no two Jobs ever select the same Pods.

import type { Job, JobSpec } from '@homeostat/api/types/batch-v1';
import { type FieldError, FieldPath, invalid, isDns1123Label, type Mutable, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { matcherOf, mismatch } from '../apps/replica-template.ts';
import { warningsOnPodNames } from '../apps/template-warnings.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { podTemplateOptions } from '../pod-spec/options.ts';
import { defaultPodTemplateSpec, dropDisabledTemplateFields } from '../pod-spec/pod-template.ts';
import { validateLabelSelector } from '../rules/labels.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { printableMap, printableSelector } from '../rules/printable.ts';
import { int32Max } from '../rules/values.ts';
import { bumpGenerationOn, keepField } from '../update-parts.ts';
import { defaultFailurePolicy, warningsForJobSpec } from './job-parts.ts';
import { validateJobSpecParts } from './job-spec.ts';
import { validateJobStatus } from './job-status.ts';
import { validateJobSpecUpdate } from './job-update.ts';

const kind = { group: 'batch', version: 'v1', kind: 'Job' };
const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
/** The old labels without a domain stay for clients that look for them. */
const nameLabels = ['job-name', 'batch.kubernetes.io/job-name'] as const;
const uidLabels = ['controller-uid', 'batch.kubernetes.io/controller-uid'] as const;

export const jobStrategy: KindStrategy<Job> = {
  tracksGeneration: true,
  defaultPropagation: 'orphan',
  resetFields: [['status']],
  fieldLabels: ['status.successful'],
  selectableFields: (object) => ({ 'status.successful': String(object.status?.succeeded ?? 0) }),
  applyDefaults: applyJobDefaults,
  prepareForCreate(draft) {
    if (draft.spec?.manualSelector !== true) generateSelector(draft);
    delete draft.status;
    dropDisabledTemplateFields(draft.spec?.template, undefined);
  },
  validateCreate: (object) => validateJob(object, undefined),
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    dropDisabledTemplateFields(draft.spec?.template, old.spec?.template);
    bumpGenerationOn(draft, old, ['spec'], kind);
  },
  validateUpdate(object, old) {
    const errors = validateJob(object, old);
    errors.push(...validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath));
    validateJobSpec(object.spec, old.spec, specPath, errors);
    validateJobSpecUpdate(object, old, specPath, errors);
    return errors;
  },
  warningsOnCreate: (object) => [
    ...warningsOnPodNames(object),
    ...warningsForJobSpec(object.spec, undefined, specPath),
  ],
  warningsOnUpdate: (object, old) => warningsForJobSpec(object.spec, old.spec, specPath),
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate(draft, old) {
        keepField(draft, old, 'spec');
      },
      validateUpdate(object, old) {
        const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
        validateJobStatus(object, old, new FieldPath('status'), errors);
        return errors;
      },
    },
  },
};

function applyJobDefaults(draft: Mutable<Job>): void {
  const spec = (draft.spec ??= {} as Mutable<JobSpec>);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : int32Max;
  const template = (spec.template ??= {});
  const metadata = (draft.metadata ??= {});
  // One map, on purpose: the labels that create adds to the template then show on the Job too, as they do upstream.
  if (template.metadata?.labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) {
    metadata.labels = template.metadata.labels;
  }
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  spec.manualSelector ??= false;
  defaultFailurePolicy(spec);
  defaultPodTemplateSpec(template);
}

function generateSelector(draft: Mutable<Job>): void {
  const spec = (draft.spec ??= {} as Mutable<JobSpec>);
  const labels = (((spec.template ??= {}).metadata ??= {}).labels ??= {});
  const uid = draft.metadata?.uid ?? '';
  for (const label of nameLabels) labels[label] ??= draft.metadata?.name ?? '';
  for (const label of uidLabels) labels[label] ??= uid;
  const matchLabels = ((spec.selector ??= {}).matchLabels ??= {});
  matchLabels[uidLabels[1]] ??= uid;
  // What defaulting would do when the stored Job is read.
  const metadata = (draft.metadata ??= {});
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}

function validateJob(job: Job, old: Job | undefined): FieldError[] {
  const errors = validateKubeObjectMeta(
    job.metadata ?? {},
    { namespaced: true, name: nameIsDnsSubdomain },
    metadataPath,
  );
  validateGeneratedSelector(job, old, errors);
  validateJobSpec(job.spec, old?.spec, specPath, errors);
  const name = job.metadata?.name ?? '';
  const completions = job.spec?.completions ?? 0;
  if (job.spec?.completionMode === 'Indexed' && completions > 0) {
    const hostname = `${name}-${completions - 1}`;
    if (isDns1123Label(hostname).length > 0) {
      const text = `will not able to create pod with invalid DNS label: ${hostname}`;
      errors.push(invalid(metadataPath.child('name'), name, text));
    }
  }
  return errors;
}

function validateGeneratedSelector(job: Job, old: Job | undefined, errors: FieldError[]): void {
  const selector = job.spec?.selector;
  if (job.spec?.manualSelector === true || selector === undefined) return;
  const { uid = '', name = '' } = job.metadata ?? {};
  if (uid === '') errors.push(required(metadataPath.child('uid')));
  // Jobs from before the prefixed labels keep to the old ones.
  const prefixed = old === undefined || old.spec?.template?.metadata?.labels?.[uidLabels[1]] !== undefined;
  const count = prefixed ? 2 : 1;
  const expected: Record<string, string> = {};
  for (const index of [0, 1].slice(0, count)) {
    expected[uidLabels[index] ?? ''] = uid;
    expected[nameLabels[index] ?? ''] = name;
  }
  for (const [label, value] of Object.entries(expected)) validateLabel(job, label, value, errors);
  if (matcherOf(selector)?.(expected) === false) {
    errors.push(invalid(specPath.child('selector'), printableSelector(selector), '`selector` not auto-generated'));
  }
}

function validateLabel(job: Job, label: string, value: string, errors: FieldError[]): void {
  const labels = job.spec?.template?.metadata?.labels ?? {};
  const path = specPath.child('template', 'metadata', 'labels').key(label);
  if (labels[label] === undefined) errors.push(required(path, `must be '${value}'`));
  else if (labels[label] !== value) errors.push(invalid(path, printableMap(labels), `must be '${value}'`));
}

function validateJobSpec(
  spec: JobSpec | undefined,
  old: JobSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  validateJobSpecParts(spec, path, errors, podTemplateOptions(old?.template));
  if (spec?.selector === undefined) errors.push(required(path.child('selector')));
  else validateLabelSelector(spec.selector, path.child('selector'), errors);
  if (matcherOf(spec?.selector)?.(spec?.template?.metadata?.labels) === false) {
    errors.push(mismatch(spec?.template, path.child('template')));
  }
}
