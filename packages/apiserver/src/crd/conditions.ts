// Conditions of CustomResourceDefinitions: finding them, and setting them the way upstream does (the time changes with the
// status, and with nothing else).

import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from '@homeostat/api/types/apiextensions-v1';

type Conditions = readonly CustomResourceDefinitionCondition[];
export type Statement = Pick<CustomResourceDefinitionCondition, 'type' | 'status' | 'reason' | 'message'>;

export function findCondition(
  definition: CustomResourceDefinition,
  type: string,
): CustomResourceDefinitionCondition | undefined {
  return definition.status?.conditions?.find((condition) => condition.type === type);
}

export function isConditionTrue(definition: CustomResourceDefinition, type: string): boolean {
  return findCondition(definition, type)?.status === 'True';
}

/** Whether its resources are served: its names are its own, or were when it came to be served. */
export function isServing(definition: CustomResourceDefinition): boolean {
  return isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, 'Established');
}

/** The conditions with one more statement. `now` is a wire time. */
export function withCondition(conditions: Conditions, next: Statement, now: string): Conditions {
  const index = conditions.findIndex(({ type }) => type === next.type);
  const present = conditions[index];
  if (present === undefined) return [...conditions, timed(next, now)];
  if (present.status === next.status && present.reason === next.reason && present.message === next.message)
    return conditions;
  const time = present.status === next.status ? (present.lastTransitionTime ?? now) : now;
  return conditions.toSpliced(index, 1, timed(next, time));
}

function timed(
  { type, status, reason, message }: Statement,
  lastTransitionTime: string,
): CustomResourceDefinitionCondition {
  return {
    type,
    status,
    lastTransitionTime,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}
