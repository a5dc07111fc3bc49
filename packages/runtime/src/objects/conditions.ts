// Conditions of an object's status, as `metav1.Condition` and upstream's SetStatusCondition have them. Pure: lists go in, lists come out.

import { formatTime } from '@homeostat/machinery';

/** One condition, as it stands in `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** `metadata.generation` of the object the condition was judged on. */
  readonly observedGeneration?: number;
  /** When `status` changed last, RFC 3339. */
  readonly lastTransitionTime: string;
  /** CamelCase, never empty. */
  readonly reason: string;
  readonly message: string;
}

/** A condition to be set. */
export interface NewCondition {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  /** Default empty. */
  readonly message?: string;
  readonly observedGeneration?: number;
}

/**
 * The list with a condition set; the same list when nothing changes. `lastTransitionTime` becomes `nowMs` (epoch milliseconds) only when the
 * status changes; the others of the type keep their place.
 *
 * @example
 * const conditions = setCondition(widget.status?.conditions, { type: 'Ready', status: 'True', reason: 'AllParts' }, env.clock.nowMs());
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  wanted: NewCondition,
  nowMs: number,
): readonly Condition[] {
  const list = conditions ?? [];
  const current = findCondition(list, wanted.type);
  const next: Condition = {
    type: wanted.type,
    status: wanted.status,
    ...(wanted.observedGeneration === undefined ? {} : { observedGeneration: wanted.observedGeneration }),
    lastTransitionTime: current?.status === wanted.status ? current.lastTransitionTime : formatTime(nowMs),
    reason: wanted.reason,
    message: wanted.message ?? '',
  };
  if (current === undefined) return [...list, next];
  const same =
    current.status === next.status &&
    current.reason === next.reason &&
    current.message === next.message &&
    current.observedGeneration === next.observedGeneration;
  return same ? list : list.map((condition) => (condition === current ? next : condition));
}

/** The list without a type; the same list when it was not there. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): readonly Condition[] {
  const list = conditions ?? [];
  return findCondition(list, type) === undefined ? list : list.filter((condition) => condition.type !== type);
}

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition is there and has this status; default `True`. */
export function isConditionSet(
  conditions: readonly Condition[] | undefined,
  type: string,
  status: Condition['status'] = 'True',
): boolean {
  return findCondition(conditions, type)?.status === status;
}
