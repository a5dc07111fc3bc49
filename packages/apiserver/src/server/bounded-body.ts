// The body of a request that may take only so long (spec/apiserver.md §1.4): a client that sends it drop by drop is
// answered when the time is over, instead of being waited for. Does not bound the size; who reads does.

import type { ApiRequest } from '@homeostat/client';

/** The request with a body that fails with the signal's reason when it aborts. */
export function boundBody(request: ApiRequest, signal: AbortSignal): ApiRequest {
  const { body } = request;
  if (body?.kind !== 'stream') return request;
  return { ...request, body: { kind: 'stream', chunks: untilAborted(body.chunks, signal) } };
}

function untilAborted<T>(chunks: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const inner = chunks[Symbol.asyncIterator]();
      // One listener for the whole body: most have one chunk.
      const over = new Promise<never>((_resolve, reject) => {
        const fail = (): void => reject(signal.reason as Error);
        if (signal.aborted) fail();
        else signal.addEventListener('abort', fail, { once: true });
      });
      over.catch(() => {}); // nobody may be reading
      return {
        next: () => Promise.race([inner.next(), over]),
        // Waits for nothing when the time is over: the chunk that was asked for may never come.
        return: async (value?: unknown) =>
          signal.aborted || inner.return === undefined ? { done: true, value } : inner.return(value),
      };
    },
  };
}
