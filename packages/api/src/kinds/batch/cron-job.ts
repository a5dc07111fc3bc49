// CronJob (batch/v1).

import type { CronJob, CronJobSpec, JobSpec, JobTemplateSpec } from '@homeostat/api/types/batch-v1';
import { type FieldError, FieldPath, invalid, type Mutable, notSupported, required } from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { warningsOnPodNames } from '../apps/template-warnings.ts';
import { validateKubeObjectMeta, validateKubeObjectMetaUpdate } from '../metadata/object-meta.ts';
import { podTemplateOptions, type PodSpecOptions } from '../pod-spec/options.ts';
import { defaultPodTemplateSpec, dropDisabledTemplateFields } from '../pod-spec/pod-template.ts';
import { nameIsDnsSubdomain } from '../rules/names.ts';
import { validateNonnegative } from '../rules/values.ts';
import { bumpGenerationOn, keepField } from '../update-parts.ts';
import { CronError, isTimeZone, parseCronSchedule } from './cron-schedule.ts';
import { defaultFailurePolicy, warningsForJobSpec } from './job-parts.ts';
import { validateJobSpecParts } from './job-spec.ts';

const kind = { group: 'batch', version: 'v1', kind: 'CronJob' };
const metadataPath = new FieldPath('metadata');
const specPath = new FieldPath('spec');
const jobSpecPath = new FieldPath('spec.jobTemplate.spec');
const policies = ['Allow', 'Forbid', 'Replace'];
/** Jobs add a dash and ten digits to the name, and have to stay labels. */
const nameLengthMax = 52;

export const cronJobStrategy: KindStrategy<CronJob> = {
  tracksGeneration: true,
  resetFields: [['status']],
  applyDefaults: applyCronJobDefaults,
  prepareForCreate(draft) {
    delete draft.status;
    dropDisabledTemplateFields(draft.spec?.jobTemplate?.spec?.template, undefined);
  },
  validateCreate(object) {
    const errors = validateKubeObjectMeta(
      object.metadata ?? {},
      { namespaced: true, name: nameIsDnsSubdomain },
      metadataPath,
    );
    validateCronJobSpec(object.spec, undefined, specPath, errors);
    const name = object.metadata?.name ?? '';
    if (name.length > nameLengthMax) {
      errors.push(invalid(metadataPath.child('name'), name, `must be no more than ${nameLengthMax} characters`));
    }
    return errors;
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'status');
    dropDisabledTemplateFields(draft.spec?.jobTemplate?.spec?.template, old.spec?.jobTemplate?.spec?.template);
    bumpGenerationOn(draft, old, ['spec'], kind);
  },
  validateUpdate(object, old) {
    const errors = validateKubeObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadataPath);
    validateCronJobSpec(object.spec, old.spec, specPath, errors);
    return errors;
  },
  warningsOnCreate: (object) => [
    ...warningsOnPodNames(object),
    ...warningsForJobSpec(object.spec?.jobTemplate?.spec, undefined, jobSpecPath),
  ],
  warningsOnUpdate: (object, old) =>
    warningsForJobSpec(object.spec?.jobTemplate?.spec, old.spec?.jobTemplate?.spec, jobSpecPath),
  subresources: {
    status: {
      resetFields: [['spec']],
      prepareForUpdate(draft, old) {
        keepField(draft, old, 'spec');
      },
    },
  },
};

function applyCronJobDefaults(draft: Mutable<CronJob>): void {
  const spec = (draft.spec ??= {} as Mutable<CronJobSpec>);
  spec.concurrencyPolicy ||= 'Allow';
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  const template = (spec.jobTemplate ??= {} as Mutable<JobTemplateSpec>);
  const job = (template.spec ??= {} as Mutable<JobSpec>);
  defaultFailurePolicy(job);
  defaultPodTemplateSpec((job.template ??= {}));
}

function validateCronJobSpec(
  spec: CronJobSpec | undefined,
  old: CronJobSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  validateSchedule(spec, old, path.child('schedule'), errors);
  validateNonnegative(spec?.startingDeadlineSeconds, path.child('startingDeadlineSeconds'), errors);
  if (old === undefined || old.timeZone !== spec?.timeZone)
    validateTimeZone(spec?.timeZone, path.child('timeZone'), errors);
  const policy = spec?.concurrencyPolicy ?? '';
  const policyPath = path.child('concurrencyPolicy');
  if (policy === '') errors.push(required(policyPath));
  else if (!policies.includes(policy)) errors.push(notSupported(policyPath, policy, policies));
  const options = podTemplateOptions(old?.jobTemplate?.spec?.template);
  validateJobTemplate(spec?.jobTemplate, path.child('jobTemplate', 'spec'), errors, options);
  validateNonnegative(spec?.successfulJobsHistoryLimit, path.child('successfulJobsHistoryLimit'), errors);
  validateNonnegative(spec?.failedJobsHistoryLimit, path.child('failedJobsHistoryLimit'), errors);
}

function validateSchedule(
  spec: CronJobSpec | undefined,
  old: CronJobSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const schedule = spec?.schedule ?? '';
  if (schedule === '') {
    errors.push(required(path));
    return;
  }
  try {
    parseCronSchedule(schedule);
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    errors.push(invalid(path, schedule, error.message));
  }
  if (!schedule.includes('TZ')) return;
  if (old?.schedule?.includes('TZ') !== true) {
    errors.push(invalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  } else if (spec?.timeZone !== undefined) {
    errors.push(invalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  }
}

function validateTimeZone(timeZone: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (timeZone === undefined) return;
  if (timeZone === '') errors.push(invalid(path, timeZone, 'timeZone must be nil or non-empty string'));
  else if (timeZone.toLowerCase() === 'local') {
    const text = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    errors.push(invalid(path, timeZone, text));
  } else if (!isTimeZone(timeZone)) errors.push(invalid(path, timeZone, `unknown time zone ${timeZone}`));
}

function validateJobTemplate(
  template: JobTemplateSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  validateJobSpecParts(template?.spec, path, errors, options);
  if (template?.spec?.selector !== undefined) {
    errors.push(invalid(path.child('selector'), template.spec.selector, '`selector` will be auto-generated'));
  }
  if (template?.spec?.manualSelector === true) {
    errors.push(notSupported(path.child('manualSelector'), true, ['nil', 'false']));
  }
}
