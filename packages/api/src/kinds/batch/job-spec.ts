// The rules of a Job's spec, as Jobs and CronJobs share them. Selector and labels are not here: a CronJob's are made
// later.

import type { JobSpec } from '@homeostat/api/types/batch-v1';
import {
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  required,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import type { PodSpecOptions } from '../pod-spec/options.ts';
import { validatePodTemplateSpec } from '../pod-spec/pod-template.ts';
import { validateDomainPath } from '../rules/domain-path.ts';
import { toGoForm } from '../rules/go-form.ts';
import { validateNonnegative } from '../rules/values.ts';
import { validatePodFailurePolicy } from './pod-failure-policy.ts';
import { successPolicyForm, validateSuccessPolicy } from './success-policy.ts';

const parallelismMaxIndexed = 100_000;
const failedIndexesMax = 100_000;
const completionsSoftMax = 100_000;
const highCompletionsMax = 10_000;
const managedByBytesMax = 63;

export function validateJobSpecParts(
  spec: JobSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
  options: PodSpecOptions,
): void {
  const counters = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const;
  for (const name of counters) validateNonnegative(spec?.[name], path.child(name), errors);
  validateFailedIndexes(spec, path, errors);
  validateManagedBy(spec?.managedBy, path.child('managedBy'), errors);
  validateCompletionMode(spec, path, errors);
  if (spec?.podFailurePolicy !== undefined) validatePodFailurePolicy(spec, path.child('podFailurePolicy'), errors);
  if (spec?.successPolicy !== undefined) {
    const at = path.child('successPolicy');
    if (spec.completionMode === 'Indexed') validateSuccessPolicy(spec.successPolicy, spec.completions ?? 0, at, errors);
    else errors.push(invalid(at, toGoForm(spec.successPolicy, successPolicyForm), 'requires indexed completion mode'));
  }
  validateReplacement(spec, path.child('podReplacementPolicy'), errors);
  validatePodTemplateSpec(spec?.template ?? {}, path.child('template'), errors, options);
  validateRestart(spec, path.child('template', 'spec', 'restartPolicy'), errors);
}

function validateFailedIndexes(spec: JobSpec | undefined, path: FieldPath, errors: FieldError[]): void {
  if (spec?.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(required(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  }
}

function validateManagedBy(managedBy: string | undefined, path: FieldPath, errors: FieldError[]): void {
  if (managedBy === undefined) return;
  validateDomainPath(managedBy, path, errors);
  if (utf8Length(managedBy) > managedByBytesMax) errors.push(tooLong(path, managedByBytesMax));
}

function validateCompletionMode(spec: JobSpec | undefined, path: FieldPath, errors: FieldError[]): void {
  const mode = spec?.completionMode;
  if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed') {
    errors.push(notSupported(path.child('completionMode'), mode, ['NonIndexed', 'Indexed']));
  }
  if (mode === 'Indexed') validateIndexed(spec ?? ({} as JobSpec), path, errors);
  if (mode === undefined || mode === 'NonIndexed') {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      const value = spec?.[name];
      if (value !== undefined) errors.push(invalid(path.child(name), value, 'requires indexed completion mode'));
    }
  }
}

function validateIndexed(spec: JobSpec, path: FieldPath, errors: FieldError[]): void {
  const { completions, parallelism, maxFailedIndexes } = spec;
  if (completions === undefined) errors.push(required(path.child('completions'), 'when completion mode is Indexed'));
  if (parallelism !== undefined && parallelism > parallelismMaxIndexed) {
    const text = `must be less than or equal to ${parallelismMaxIndexed} when completion mode is Indexed`;
    errors.push(invalid(path.child('parallelism'), parallelism, text));
  }
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    errors.push(invalid(path.child('maxFailedIndexes'), maxFailedIndexes, 'must be less than or equal to completions'));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > failedIndexesMax) {
    errors.push(
      invalid(path.child('maxFailedIndexes'), maxFailedIndexes, `must be less than or equal to ${failedIndexesMax}`),
    );
  }
  if ((completions ?? 0) <= completionsSoftMax || spec.backoffLimitPerIndex === undefined) return;
  const high = `must be less than or equal to ${highCompletionsMax} when completions are above ${completionsSoftMax}`;
  const text = `${high} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) {
    errors.push(
      required(path.child('maxFailedIndexes'), `must be specified when completions is above ${completionsSoftMax}`),
    );
  }
  if (parallelism !== undefined && parallelism > highCompletionsMax) {
    errors.push(invalid(path.child('parallelism'), parallelism, text));
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > highCompletionsMax) {
    errors.push(invalid(path.child('maxFailedIndexes'), maxFailedIndexes, text));
  }
}

function validateReplacement(spec: JobSpec | undefined, path: FieldPath, errors: FieldError[]): void {
  const policy = spec?.podReplacementPolicy;
  if (policy === undefined) return;
  const supported = spec?.podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  if (!supported.includes(policy)) errors.push(notSupported(path, policy, supported));
}

function validateRestart(spec: JobSpec | undefined, path: FieldPath, errors: FieldError[]): void {
  const policy = spec?.template?.spec?.restartPolicy ?? '';
  if (policy !== 'OnFailure' && policy !== 'Never') {
    errors.push(required(path, 'valid values: "OnFailure", "Never"'));
  } else if (spec?.podFailurePolicy !== undefined && policy !== 'Never') {
    errors.push(invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}
