// Small parts that Jobs and CronJobs share.

import type { JobSpec } from '@homeostat/api/types/batch-v1';
import type { FieldPath, Mutable } from '@homeostat/machinery';
import { warningsForPodTemplate } from '../pod-spec/warnings.ts';

const completionsSoftMax = 100_000;
const parallelismSoftMax = 10_000;

/** Conditions are matched when they are True, unless the rule says otherwise. */
export function defaultFailurePolicy(spec: Mutable<JobSpec>): void {
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) pattern.status ||= 'True';
  }
}

export function warningsForJobSpec(
  spec: JobSpec | undefined,
  old: JobSpec | undefined,
  path: FieldPath,
): readonly string[] {
  const warnings: string[] = [];
  const isLarge = (spec?.completions ?? 0) > completionsSoftMax && (spec?.parallelism ?? 0) > parallelismSoftMax;
  if (spec?.completionMode === 'Indexed' && isLarge) {
    const size = 'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4';
    warnings.push(
      `${String(path)}: ${size}, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    );
  }
  return [...warnings, ...warningsForPodTemplate(spec?.template, old?.template, path.child('template'))];
}
