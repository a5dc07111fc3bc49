// The transport for callers that live in the API server's process: the server's own `handle`, called directly.
// Objects travel without being encoded; who calls is asserted, not proven.

import { abortable } from '@homeostat/base';
import type { Handle, Transport, UserInfo } from '../transport/transport.ts';
import { TransportError } from '../transport/transport-error.ts';

export interface InProcessTransportOptions {
  readonly handle: Handle;
  /** Who calls; the server takes it as authenticated. */
  readonly user: UserInfo;
  /** `bytes` makes this client go through encoders as a remote one would; default `object`. */
  readonly exchanges?: 'bytes' | 'object';
}

/** Creates a {@link Transport} over a handle. After `close`, requests under way are aborted and new ones are refused. */
export function createInProcessTransport(options: InProcessTransportOptions): Transport {
  const { handle, user, exchanges = 'object' } = options;
  const peer = { user };
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    exchanges,
    send(request) {
      if (closing.signal.aborted) return Promise.reject(new TransportError('refused', 'the transport is closed'));
      const signal = AbortSignal.any([request.signal, closing.signal]);
      const answer = handle({ ...request, peer, signal });
      running.add(answer);
      const forget = (): void => void running.delete(answer);
      answer.then(forget, forget);
      // Whoever gives up need not wait for the server to notice.
      return abortable(answer, signal);
    },
    async close() {
      closing.abort(new TransportError('reset', 'the transport was closed'));
      await Promise.allSettled(running);
    },
  };
}
