// Decides what a transaction does to the state it meets: compares, numbers, events. Pure: the caller makes the
// outcome durable and applies it.

import { invariant } from '@homeostat/base';
import { StorageError, type Compare, type Operation, type StoreEvent, type ValueHolder } from '../store.ts';
import { Entry, type Change, type EntryEvent } from './change.ts';

/** Operations one transaction may have; row numbers of the SQLite engine leave room for no more. */
export const operationsMax = 1024;

export interface PlanContext {
  /** State of a key after everything sequenced so far. */
  readonly look: (key: string) => Entry | undefined;
  readonly nextRevision: number;
  readonly nowMs: number;
  /** What the store keeps of a writer's holder: the holder itself, or its bytes alone. */
  readonly retain: (value: ValueHolder) => ValueHolder;
}

export type Plan =
  /** A compare did not hold. */
  | { readonly type: 'refused'; readonly current: readonly (Entry | undefined)[] }
  /** All compares held and nothing changes: no revision is used. */
  | { readonly type: 'unchanged'; readonly previous: readonly (Entry | undefined)[] }
  | {
      readonly type: 'write';
      readonly change: Change;
      /** The events as live watchers get them: with the writer's holders. */
      readonly liveEvents: readonly StoreEvent[];
      readonly previous: readonly (Entry | undefined)[];
    };

/** @throws StorageError `too-large` */
export function planTransaction(
  context: PlanContext,
  transaction: { readonly compare: readonly Compare[]; readonly operations: readonly Operation[] },
): Plan {
  const { compare, operations } = transaction;
  assertOperations(operations);
  const compared = compare.map(({ key }) => context.look(key));
  const holds = compare.every(({ modRevision }, index) => (compared[index]?.modRevision ?? 0) === modRevision);
  if (!holds) return { type: 'refused', current: compared };

  const previous = operations.map(({ key }) => context.look(key));
  const events: EntryEvent[] = [];
  const liveEvents: StoreEvent[] = [];
  operations.forEach((operation, ordinal) => {
    const before = previous[ordinal];
    const event = eventOf(context, operation, ordinal, before);
    if (event === undefined) return;
    events.push(event);
    liveEvents.push(liveEventOf(event, operation));
  });
  if (events.length === 0) return { type: 'unchanged', previous };
  return { type: 'write', change: { revision: context.nextRevision, events }, liveEvents, previous };
}

function eventOf(
  context: PlanContext,
  operation: Operation,
  ordinal: number,
  previous: Entry | undefined,
): EntryEvent | undefined {
  const { key } = operation;
  const revision = context.nextRevision;
  if (operation.type === 'delete') {
    return previous === undefined
      ? undefined
      : { type: 'delete', key, revision, ordinal, current: undefined, previous };
  }
  const current = new Entry({
    key,
    value: context.retain(operation.value),
    createRevision: previous?.createRevision ?? revision,
    modRevision: revision,
    version: (previous?.version ?? 0) + 1,
    ordinal,
    expiresAtMs: operation.ttlSeconds === undefined ? 0 : context.nowMs + operation.ttlSeconds * 1000,
  });
  return { type: 'put', key, revision, ordinal, current, previous };
}

function liveEventOf(event: EntryEvent, operation: Operation): StoreEvent {
  if (event.current === undefined || operation.type === 'delete' || event.current.value === operation.value)
    return event;
  return { ...event, current: event.current.withValue(operation.value) };
}

function assertOperations(operations: readonly Operation[]): void {
  if (operations.length > operationsMax) {
    throw new StorageError('too-large', `a transaction may have ${operationsMax} operations, not ${operations.length}`);
  }
  for (const operation of operations) {
    invariant(operation.key.isWellFormed(), `key ${JSON.stringify(operation.key)} is not well-formed Unicode`);
    invariant(
      operation.type === 'delete' || operation.ttlSeconds === undefined || operation.ttlSeconds > 0,
      `ttlSeconds of ${operation.key} must be above 0`,
    );
  }
  if (operations.length > 1) {
    const keys = new Set(operations.map(({ key }) => key));
    invariant(keys.size === operations.length, 'a key occurs twice in one transaction');
  }
}
