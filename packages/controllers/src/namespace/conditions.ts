// The five conditions of a namespace that is being deleted (spec/infrastructure.md §8.4). Pure.

import type { NamespaceCondition } from '@homeostat/api/types/core-v1';
import { formatTime } from '@homeostat/machinery';

/** What one attempt to delete the content found out. */
export interface DeletionReport {
  readonly discoveryFailures: readonly { readonly groupVersion: string; readonly message: string }[];
  readonly deletionErrors: readonly string[];
  /** Instances left, by `resource.group`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Instances that have a finalizer, by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Wanted {
  readonly type: string;
  readonly bad: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The condition list to write, or undefined when the present one says the same. */
export function deletionConditions(
  present: readonly NamespaceCondition[],
  report: DeletionReport,
  nowMs: number,
): readonly NamespaceCondition[] | undefined {
  let changed = false;
  let conditions = [...present];
  for (const { type, bad, reason, message } of wantedConditions(report)) {
    const status = bad ? 'True' : 'False';
    const current = conditions.find((condition) => condition.type === type);
    if (current?.status === status && current.reason === reason && current.message === message) continue;
    changed = true;
    const lastTransitionTime =
      current?.status === status ? (current.lastTransitionTime ?? formatTime(nowMs)) : formatTime(nowMs);
    const condition = { type, status, lastTransitionTime, reason, message } as NamespaceCondition;
    conditions =
      current === undefined
        ? [...conditions, condition]
        : conditions.map((other) => (other === current ? condition : other));
  }
  return changed ? conditions : undefined;
}

function wantedConditions(report: DeletionReport): readonly Wanted[] {
  const discovery = report.discoveryFailures.map((failure) => `${failure.groupVersion}: ${failure.message}`).toSorted();
  const errors = [...report.deletionErrors].toSorted();
  const remaining = [...report.remaining]
    .map(([resource, count]) => `${resource} has ${count} resource instances`)
    .toSorted();
  const finalizers = [...report.finalizers]
    .map(([finalizer, count]) => `${finalizer} in ${count} resource instances`)
    .toSorted();
  return [
    choose('NamespaceDeletionDiscoveryFailure', discovery.length > 0, {
      bad: [
        'DiscoveryFailed',
        `Discovery failed for some groups, ${discovery.length} failing: unable to retrieve the complete list of server APIs: ${discovery.join(', ')}`,
      ],
      good: ['ResourcesDiscovered', 'All resources successfully discovered'],
    }),
    choose('NamespaceDeletionGroupVersionParsingFailure', false, {
      bad: ['GroupVersionParsingFailed', ''],
      good: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    }),
    choose('NamespaceDeletionContentFailure', errors.length > 0, {
      bad: [
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${errors.length} remaining: ${errors.join(', ')}`,
      ],
      good: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    }),
    choose('NamespaceContentRemaining', remaining.length > 0, {
      bad: ['SomeResourcesRemain', `Some resources are remaining: ${remaining.join(', ')}`],
      good: ['ContentRemoved', 'All content successfully removed'],
    }),
    choose('NamespaceFinalizersRemaining', finalizers.length > 0, {
      bad: ['SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${finalizers.join(', ')}`],
      good: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    }),
  ];
}

function choose(
  type: string,
  bad: boolean,
  texts: { readonly bad: readonly [string, string]; readonly good: readonly [string, string] },
): Wanted {
  const [reason, message] = bad ? texts.bad : texts.good;
  return { type, bad, reason, message };
}
