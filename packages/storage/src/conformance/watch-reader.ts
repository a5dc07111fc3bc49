// Reads a watch in a test: counted events, and "nothing more" shown by a progress sign and not by waiting.

import assert from 'node:assert/strict';
import type { Store, StoreEvent, WatchBatch } from '../store.ts';

export class WatchReader {
  readonly #store: Store;
  readonly #controller = new AbortController();
  readonly #iterator: AsyncIterator<WatchBatch>;

  /** Opens the watch; @throws what `Store.watch` throws. */
  constructor(store: Store, prefix: string, fromRevision?: number, bufferMax?: number) {
    this.#store = store;
    const watch = store.watch({
      prefix,
      signal: this.#controller.signal,
      ...(fromRevision === undefined ? {} : { fromRevision }),
      ...(bufferMax === undefined ? {} : { bufferMax }),
    });
    this.#iterator = watch[Symbol.asyncIterator]();
  }

  abort(): void {
    this.#controller.abort();
  }

  next(): Promise<IteratorResult<WatchBatch>> {
    return this.#iterator.next();
  }

  /** Stops reading as a `break` out of the loop does. */
  async leave(): Promise<void> {
    await this.#iterator.return?.();
  }

  async batch(): Promise<WatchBatch> {
    const { done, value } = await this.next();
    assert.ok(done !== true, 'the watch has ended');
    return value;
  }

  /** Exactly `count` events; progress signs in between are passed over. */
  async events(count: number): Promise<StoreEvent[]> {
    const events: StoreEvent[] = [];
    while (events.length < count) {
      const batch = await this.batch();
      if (batch.type === 'events') events.push(...batch.events);
    }
    assert.equal(events.length, count, 'more events than expected came together');
    return events;
  }

  /** `put key` and `delete key` of the next `count` events. */
  async names(count: number): Promise<string[]> {
    return (await this.events(count)).map(({ type, key }) => `${type} ${key}`);
  }

  /** Shows that everything has been read: a requested progress sign comes next. */
  async assertNoMore(): Promise<void> {
    this.#store.requestProgress();
    assert.deepEqual(await this.batch(), { type: 'progress', revision: this.#store.revision });
  }
}
