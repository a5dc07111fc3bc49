/** The pods the scheduler watches: finished ones take no room, and their end looks like a deletion. */
export const unfinishedPods = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' } as const;
