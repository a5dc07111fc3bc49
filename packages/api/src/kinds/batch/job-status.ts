// The status of a Job, which is checked so that no controller can announce an end that did not happen: counters don't go
// back, terminal conditions stay, and each needs its forerunner. Most rules only hold for what the update changes, so
// that objects from before a rule can still be updated.

import type { Job, JobStatus } from '@homeostat/api/types/batch-v1';
import { duplicate, type FieldError, type FieldPath, invalid, required } from '@homeostat/machinery';
import { validateCounters } from '../apps/status-counters.ts';
import { type GoField, toGoForm } from '../rules/go-form.ts';
import { immutableText, invalidWithoutValue } from '../rules/values.ts';
import { semanticEqual } from '../semantic-equal.ts';
import { countIndexes, IndexesError } from './indexes.ts';

const uncountedForm: readonly GoField[] = [
  ['Succeeded', 'succeeded', null],
  ['Failed', 'failed', null],
];

export function validateJobStatus(job: Job, old: Job, path: FieldPath, errors: FieldError[]): void {
  const status = job.status ?? {};
  validateCounters(status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], path, errors);
  validateUncounted(status, path.child('uncountedTerminatedPods'), errors);
  validateConditions(job, old, path, errors);
  validateFinished(job, old, path, errors);
  validateIndexes(job, old, path, errors);
  validateTransition(job, old, path, errors);
}

function validateUncounted(status: JobStatus, path: FieldPath, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const field of ['succeeded', 'failed'] as const) {
    for (const [index, uid] of (status.uncountedTerminatedPods?.[field] ?? []).entries()) {
      const at = path.child(field).index(index);
      if (uid === '') errors.push(invalid(at, uid, 'must not be empty'));
      else if (seen.has(uid)) errors.push(duplicate(at, uid));
      else seen.add(uid);
    }
  }
}

function validateConditions(job: Job, old: Job, path: FieldPath, errors: FieldError[]): void {
  const status = job.status ?? {};
  const is = (type: string): boolean => isTrue(job, type);
  const differs = (...types: readonly string[]): boolean => types.some((type) => isTrue(old, type) !== is(type));
  const timeDiffers = !semanticEqual(status.completionTime, old.status?.completionTime);
  const startDiffers = !semanticEqual(status.startTime, old.status?.startTime);
  const conditions = path.child('conditions');
  const at = path.child('completionTime');
  if (differs('Complete', 'Failed') && is('Complete') && is('Failed')) {
    errors.push(invalidWithoutValue(conditions, 'cannot set Complete=True and Failed=true conditions'));
  }
  if (differs('Complete', 'FailureTarget') && is('Complete') && is('FailureTarget')) {
    errors.push(invalidWithoutValue(conditions, 'cannot set Complete=True and FailureTarget=true conditions'));
  }
  if (differs('Complete') || timeDiffers) {
    if (hasTime(status.completionTime) && !is('Complete')) {
      const text = 'cannot set completionTime when there is no Complete=True condition';
      errors.push(invalid(at, status.completionTime, text));
    }
    if (is('Complete') && !hasTime(status.completionTime)) {
      errors.push(required(at, 'completionTime is required for Complete jobs'));
    }
  }
  if ((startDiffers || timeDiffers) && hasTime(status.startTime) && hasTime(status.completionTime)) {
    if (Date.parse(status.completionTime) < Date.parse(status.startTime)) {
      errors.push(invalid(at, status.completionTime, 'must be equal to or after `startTime`'));
    }
  }
  if (differs('Failed', 'FailureTarget') && is('Failed') && !is('FailureTarget')) {
    errors.push(
      invalidWithoutValue(conditions, 'cannot set Failed=True condition without the FailureTarget=true condition'),
    );
  }
  if (differs('Complete', 'SuccessCriteriaMet') && is('Complete') && !is('SuccessCriteriaMet')) {
    const text = 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition';
    errors.push(invalidWithoutValue(conditions, text));
  }
}

function validateFinished(job: Job, old: Job, path: FieldPath, errors: FieldError[]): void {
  const status = job.status ?? {};
  const oldStatus = old.status ?? {};
  const finished = isFinished(job);
  const becameFinished = finished !== isFinished(old);
  const differs = (name: keyof JobStatus): boolean => !semanticEqual(status[name], oldStatus[name]);
  const { active = 0, ready = 0, terminating = 0 } = status;
  if ((becameFinished || differs('active')) && finished && active > 0) {
    errors.push(invalid(path.child('active'), active, 'active>0 is invalid for finished job'));
  }
  if ((becameFinished || differs('terminating')) && finished && terminating > 0) {
    errors.push(invalid(path.child('terminating'), terminating, 'terminating>0 is invalid for finished job'));
  }
  if ((differs('ready') || differs('active')) && ready > active) {
    errors.push(invalid(path.child('ready'), ready, 'cannot set more ready pods than active'));
  }
  if ((becameFinished || differs('startTime')) && finished && !hasTime(status.startTime)) {
    errors.push(required(path.child('startTime'), 'startTime is required for finished job'));
  }
  const uncounted = status.uncountedTerminatedPods;
  const count = (uncounted?.succeeded?.length ?? 0) + (uncounted?.failed?.length ?? 0);
  if ((becameFinished || differs('uncountedTerminatedPods')) && finished && count > 0) {
    const value = toGoForm(uncounted, uncountedForm);
    errors.push(invalid(path.child('uncountedTerminatedPods'), value, 'must be empty for finished job'));
  }
}

function validateIndexes(job: Job, old: Job, path: FieldPath, errors: FieldError[]): void {
  const { completions, backoffLimitPerIndex, completionMode } = job.spec ?? {};
  const completed = job.status?.completedIndexes ?? '';
  const failed = job.status?.failedIndexes;
  const completedDiffers = completed !== (old.status?.completedIndexes ?? '');
  const failedDiffers = failed !== old.status?.failedIndexes;
  if (completedDiffers && completions !== undefined) {
    validateIndexesText(completed, 'completedIndexes', completions, path, errors);
  }
  if (failedDiffers && completions !== undefined && backoffLimitPerIndex !== undefined && failed !== undefined) {
    validateIndexesText(failed, 'failedIndexes', completions, path, errors);
  }
  if (completedDiffers && completed !== '' && completionMode !== 'Indexed') {
    const text = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    errors.push(invalid(path.child('completedIndexes'), completed, text));
  }
  if (failedDiffers && failed !== undefined && backoffLimitPerIndex === undefined) {
    const text = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    errors.push(invalid(path.child('failedIndexes'), failed, text));
  }
  if ((failedDiffers || completedDiffers) && completions !== undefined && failed !== undefined) {
    const overlap = firstOverlap(completed, failed);
    if (overlap !== undefined) {
      const text = `failedIndexes and completedIndexes overlap at index ${overlap}`;
      errors.push(invalid(path.child('failedIndexes'), failed, text));
    }
  }
}

function validateIndexesText(
  text: string,
  field: string,
  completions: number,
  path: FieldPath,
  errors: FieldError[],
): void {
  try {
    countIndexes(text, completions);
  } catch (error) {
    if (!(error instanceof IndexesError)) throw error;
    errors.push(invalid(path.child(field), text, `error parsing ${field}: ${error.message}`));
  }
}

function firstOverlap(completed: string, failed: string): number | undefined {
  const intervals = (text: string): readonly (readonly [number, number])[] =>
    text === ''
      ? []
      : text
          .split(',')
          .map((part) => part.split('-').map(Number))
          .map(([a = 0, b = a]) => [a, b] as const);
  const others = intervals(failed);
  for (const [start, end] of intervals(completed)) {
    const other = others.find(([from, to]) => from <= end && start <= to);
    if (other !== undefined) return Math.max(start, other[0]);
  }
  return undefined;
}

function validateTransition(job: Job, old: Job, path: FieldPath, errors: FieldError[]): void {
  const status = job.status ?? {};
  const oldStatus = old.status ?? {};
  const conditions = path.child('conditions');
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (isTrue(old, type) && !isTrue(job, type)) {
      errors.push(invalidWithoutValue(conditions, `cannot disable the terminal ${type}=True condition`));
    }
  }
  const { failed = 0, succeeded = 0 } = status;
  if (failed < (oldStatus.failed ?? 0)) {
    errors.push(invalid(path.child('failed'), failed, 'cannot decrease the failed counter'));
  }
  // A Job that scales down forgets the indexes it lost.
  const isElastic = job.spec?.completionMode === 'Indexed' && job.spec.completions === job.spec.parallelism;
  if (!isElastic && succeeded < (oldStatus.succeeded ?? 0)) {
    errors.push(invalid(path.child('succeeded'), succeeded, 'cannot decrease the succeeded counter'));
  }
  if (
    hasTime(status.completionTime) &&
    hasTime(oldStatus.completionTime) &&
    status.completionTime !== oldStatus.completionTime
  ) {
    errors.push(invalid(path.child('completionTime'), status.completionTime, immutableText));
  }
  validateStart(job, old, path.child('startTime'), errors);
  if (isTrue(old, 'SuccessCriteriaMet') && !isTrue(job, 'SuccessCriteriaMet')) {
    errors.push(invalidWithoutValue(conditions, 'cannot disable the SuccessCriteriaMet=True condition'));
  }
  for (const type of ['Failed', 'FailureTarget']) {
    if (isTrue(job, 'SuccessCriteriaMet') && isTrue(job, type)) {
      errors.push(invalidWithoutValue(conditions, `cannot set SuccessCriteriaMet=True and ${type}=true conditions`));
    }
  }
}

function validateStart(job: Job, old: Job, path: FieldPath, errors: FieldError[]): void {
  const start = job.status?.startTime;
  const oldStart = old.status?.startTime;
  if (!hasTime(oldStart) || start === oldStart || job.spec?.suspend === true) return;
  if (hasTime(start)) errors.push(invalid(path, start, 'field is immutable for unsuspended job once set'));
  else errors.push(required(path, 'startTime cannot be removed for unsuspended job'));
}

function isFinished(job: Job): boolean {
  return isTrue(job, 'Complete') || isTrue(job, 'Failed');
}

function isTrue(job: Job, type: string): boolean {
  return job.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

function hasTime(time: string | null | undefined): time is string {
  return time !== undefined && time !== null;
}
