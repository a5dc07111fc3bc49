// Watches that are cut, lag, or lose an event, and the exchange they belong to. Works on the event stream of in-process clients and, except
// for losing single events, on encoded streams.

import { type Clock, sleepOn } from '@homeostat/base';
import { type ApiResponse, TransportError } from '@homeostat/client';
import type { Fault } from './fault.ts';

export type WatchFault = Extract<Fault, { readonly kind: 'cut-watch' | 'swallow-event' | 'lag-watch' }>;

export function isWatchFault(fault: Fault): fault is WatchFault {
  return fault.kind === 'cut-watch' || fault.kind === 'swallow-event' || fault.kind === 'lag-watch';
}

export interface FaultyWatchContext {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The same answer with a faulty stream. Answers that are no streams are returned as they are. */
export function withWatchFault(response: ApiResponse, fault: WatchFault, context: FaultyWatchContext): ApiResponse {
  const { body } = response;
  if (body.kind === 'watch') return { ...response, body: { ...body, events: faulty(body.events, fault, context) } };
  if (body.kind === 'stream' && fault.kind !== 'swallow-event') {
    return { ...response, body: { ...body, chunks: faulty(body.chunks, fault, context) } };
  }
  return response;
}

function faulty<T>(items: AsyncIterable<T>, fault: WatchFault, context: FaultyWatchContext): AsyncIterable<T> {
  switch (fault.kind) {
    case 'cut-watch':
      return cut(items, fault.afterEvents, fault.how);
    case 'swallow-event':
      return swallow(items, fault.afterEvents, fault.type);
    case 'lag-watch':
      return lag(items, fault.delayMs, context);
  }
}

async function* cut<T>(items: AsyncIterable<T>, after: number, how: 'reset' | 'end'): AsyncGenerator<T, void, void> {
  let count = 0;
  for await (const item of items) {
    if (count++ >= after) {
      if (how === 'end') return;
      throw new TransportError('reset', 'injected: the connection of the watch was reset');
    }
    yield item;
  }
}

// Bookmarks are never lost: a later one would tell the client that it saw everything.
async function* swallow<T>(
  items: AsyncIterable<T>,
  after: number,
  only: string | undefined,
): AsyncGenerator<T, void, void> {
  let count = 0;
  for await (const item of items) {
    const { type } = item as { readonly type?: unknown };
    const counts = only === undefined ? type !== 'BOOKMARK' : type === only;
    if (counts && count++ === after) continue;
    yield item;
  }
}

async function* lag<T>(
  items: AsyncIterable<T>,
  delayMs: number,
  { clock, signal }: FaultyWatchContext,
): AsyncGenerator<T, void, void> {
  const queue: { readonly item: T; readonly dueMs: number }[] = [];
  let ended: { readonly error?: unknown } | undefined;
  let wake: () => void = () => {};
  const stop = new AbortController();
  const read = async (): Promise<void> => {
    try {
      for await (const item of items) {
        queue.push({ item, dueMs: clock.monotonicMs() + delayMs });
        wake();
        if (stop.signal.aborted) break;
      }
      ended = {};
    } catch (error) {
      ended = { error };
    }
    wake();
  };
  const reading = read();
  try {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) {
        const waitMs = next.dueMs - clock.monotonicMs();
        if (waitMs > 0) await sleepOn(clock, waitMs, signal);
        yield next.item;
        continue;
      }
      if (ended !== undefined) {
        if ('error' in ended) throw ended.error;
        return;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    stop.abort();
    reading.catch(() => {}); // it ends with the request; how no longer matters
  }
}
