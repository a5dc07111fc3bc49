// The one thing a FlowSchema's status says: whether the priority level it names exists.

import type { FlowSchema, FlowSchemaCondition } from '@homeostat/api/types/flowcontrol-v1';

/** The condition as it should be; undefined when the stored one says so already. */
export function danglingCondition(
  { spec, status }: FlowSchema,
  exists: (level: string) => boolean,
  now: string,
): FlowSchemaCondition | undefined {
  const level = spec?.priorityLevelConfiguration.name ?? '';
  const found = exists(level);
  const names = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const wanted = found
    ? { status: 'False', reason: 'Found', message: `${names} and it exists` }
    : { status: 'True', reason: 'NotFound', message: `${names} but there is no such object` };
  const stored = status?.conditions?.find(({ type }) => type === 'Dangling');
  const isSame =
    stored?.status === wanted.status && stored.reason === wanted.reason && stored.message === wanted.message;
  if (isSame) return undefined;
  const since = stored?.status === wanted.status ? stored.lastTransitionTime : undefined;
  return {
    type: 'Dangling',
    status: wanted.status,
    lastTransitionTime: since ?? now,
    reason: wanted.reason,
    message: wanted.message,
  };
}
