// The contract in its plainest form: one full copy of the state per revision. What engines are compared with.

import type { KeyValue } from '../store.ts';

/** A key's state without its holder. */
export type NaiveItem = Omit<KeyValue, 'value'> & { readonly text: string };
export type NaiveOperation = { readonly key: string; readonly text?: string };
export interface NaiveEvent {
  readonly revision: number;
  readonly key: string;
  readonly current: NaiveItem | undefined;
  readonly previous: NaiveItem | undefined;
}

export class NaiveStore {
  /** State after each revision; index = revision. */
  readonly states: ReadonlyMap<string, NaiveItem>[] = [new Map(), new Map()];
  readonly events: NaiveEvent[] = [];
  compactedRevision = 1;

  get revision(): number {
    return this.states.length - 1;
  }

  get current(): ReadonlyMap<string, NaiveItem> {
    return this.states[this.revision] ?? new Map();
  }

  /** A put where there is text, a delete where there is none. Returns whether the compares held. */
  txn(
    compare: readonly { readonly key: string; readonly modRevision: number }[],
    operations: readonly NaiveOperation[],
  ): boolean {
    if (compare.some(({ key, modRevision }) => (this.current.get(key)?.modRevision ?? 0) !== modRevision)) return false;
    const revision = this.revision + 1;
    const next = new Map(this.current);
    const events: NaiveEvent[] = [];
    for (const { key, text } of operations) {
      const previous = next.get(key);
      if (text === undefined) {
        if (!next.delete(key)) continue;
      } else {
        next.set(key, {
          key,
          text,
          createRevision: previous?.createRevision ?? revision,
          modRevision: revision,
          version: (previous?.version ?? 0) + 1,
        });
      }
      events.push({ revision, key, current: next.get(key), previous });
    }
    if (events.length > 0) {
      this.states.push(next);
      this.events.push(...events);
    }
    return true;
  }

  /** Items of a prefix at a revision, in the order of bytes. */
  range(prefix: string, revision: number): NaiveItem[] {
    const items = [...(this.states[revision] ?? new Map<string, NaiveItem>()).values()];
    return items
      .filter(({ key }) => key.startsWith(prefix))
      .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  }
}
