// Ready-made predicates for watches: which updates of an object matter (spec/client.md §7.3). They are asked about updates only:
// additions and deletions always pass, because an owner that does not hear of a lost child never makes a new one (case R1).

import { deepEqual, type KubeObject, LabelSelector, type Labels } from '@homeostat/machinery';
import type { LabelMatch } from '../store/lister.ts';

/** Whether an update matters. Pure. */
export type UpdatePredicate<T extends KubeObject = KubeObject> = (old: T, object: T) => boolean;

/**
 * The desired state changed: `metadata.generation` differs, or deletion was asked for. Status writes and most metadata leave
 * the generation alone; kinds without one (ConfigMaps, Secrets …) never pass, so don't use it for them.
 */
export const generationChanged: UpdatePredicate = (old, object) =>
  old.metadata?.generation !== object.metadata?.generation || isNewlyDeleted(old, object);

/** Anything was written. Resyncs and repairs that found nothing never count as updates, so this passes nearly all of them. */
export const resourceVersionChanged: UpdatePredicate = (old, object) =>
  old.metadata?.resourceVersion !== object.metadata?.resourceVersion;

export const labelsChanged: UpdatePredicate = (old, object) =>
  !deepEqual({ ...old.metadata?.labels }, { ...object.metadata?.labels });

export const annotationsChanged: UpdatePredicate = (old, object) =>
  !deepEqual({ ...old.metadata?.annotations }, { ...object.metadata?.annotations });

/** The object is selected, or was until now: who stops matching is heard of too. A matcher, or a parsed selector. */
export function labelsMatch(selector: LabelMatch | LabelSelector): UpdatePredicate {
  const matches = (labels: Labels): boolean =>
    selector instanceof LabelSelector ? selector.matches(labels) : selector(labels);
  return (old, object) => matches(object.metadata?.labels ?? {}) || matches(old.metadata?.labels ?? {});
}

/** All of them pass. */
export function and<T extends KubeObject>(...predicates: readonly UpdatePredicate<T>[]): UpdatePredicate<T> {
  return (old, object) => predicates.every((predicate) => predicate(old, object));
}

/** One of them passes. */
export function or<T extends KubeObject>(...predicates: readonly UpdatePredicate<T>[]): UpdatePredicate<T> {
  return (old, object) => predicates.some((predicate) => predicate(old, object));
}

/** It does not pass. */
export function not<T extends KubeObject>(predicate: UpdatePredicate<T>): UpdatePredicate<T> {
  return (old, object) => !predicate(old, object);
}

function isNewlyDeleted(old: KubeObject, object: KubeObject): boolean {
  return old.metadata?.deletionTimestamp === undefined && object.metadata?.deletionTimestamp !== undefined;
}
