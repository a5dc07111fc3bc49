// How fast an informer takes events to its handlers, without a wire: from the watch's iterator through FIFO and store.

import { createRealEnv } from '@homeostat/base/node';
import { pods } from '@homeostat/client/resources';
import { type InformerSource, SharedInformer } from '@homeostat/runtime';
import type { Pod } from '@homeostat/api/types/core-v1';
import type { WatchEvent } from '@homeostat/machinery';
import type { Row } from './table.ts';

const objects = 5_000;
const events = 100_000;

/** One row for 1, 10 and 100 handlers. */
export async function dispatchRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const handlers of [1, 10, 100]) {
    // The first round warms up.
    await dispatch(handlers);
    const ms = await dispatch(handlers);
    rows.push({
      what: `informer, from memory: events a second to ${handlers} handler${handlers === 1 ? '' : 's'}`,
      measured: Math.round((events / ms) * 1000).toLocaleString('en'),
      budget: '100,000',
    });
  }
  return rows;
}

async function dispatch(handlers: number): Promise<number> {
  const begin = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const env = createRealEnv({ level: 'error' });
  const informer = new SharedInformer<Pod>({
    resource: pods,
    env,
    source: cannedSource(begin.promise),
    streaming: false,
    repairPeriodMs: 0,
  });
  let left = events * handlers;
  for (let i = 0; i < handlers; i++) {
    informer.addHandler(({ type }) => {
      if (type === 'updated' && --left === 0) done.resolve();
    });
  }
  const stop = new AbortController();
  const running = informer.run({ signal: stop.signal });
  await informer.waitForSync(stop.signal);
  const started = performance.now();
  begin.resolve();
  await done.promise;
  const elapsed = performance.now() - started;
  stop.abort();
  await running;
  return elapsed;
}

function cannedSource(begin: Promise<void>): InformerSource<Pod> {
  const pod = (index: number, version: number): Pod => ({
    kind: 'Pod',
    metadata: { name: `pod-${index}`, namespace: 'default', uid: `uid-${index}`, resourceVersion: String(version) },
  });
  const changes = Array.from({ length: events }, (_unused, at): WatchEvent<Pod> => ({
    type: 'MODIFIED',
    object: pod(at % objects, objects + 1 + at),
  }));
  return {
    async *listPages() {
      const items = Array.from({ length: objects }, (_unused, index) => pod(index, index + 1));
      yield { items, resourceVersion: String(objects), restarted: false, more: false };
    },
    watch: async ({ signal }) => watchChanges(begin, changes, signal),
    async *listVersions() {},
    get: async () => undefined,
  };
}

async function* watchChanges(
  begin: Promise<void>,
  changes: readonly WatchEvent<Pod>[],
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<Pod>> {
  await begin;
  yield* changes;
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
