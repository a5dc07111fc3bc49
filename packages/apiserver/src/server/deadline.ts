// How long a request may take (spec/apiserver.md §1.4), as a signal that aborts with the 504 to answer.

import { ApiError, type Clock } from '@homeostat/base';
import { durationMs, newBadRequest } from '@homeostat/machinery';
import type { RequestInfo } from './request-info.ts';

const longRunningSubresources = new Set(['attach', 'exec', 'proxy', 'log', 'portforward']);

export function isLongRunning(info: RequestInfo): boolean {
  if (!info.isResourceRequest) return info.path.startsWith('/debug/pprof');
  return info.verb === 'watch' || info.verb === 'proxy' || longRunningSubresources.has(info.subresource);
}

/** @throws ApiError 400 for a `timeout` parameter that is no duration */
export function requestTimeoutMs(query: URLSearchParams, maximumMs: number): number {
  const asked = query.get('timeout');
  if (asked === null || asked === '') return maximumMs;
  let ms: number;
  try {
    ms = durationMs(asked);
  } catch (error) {
    throw newBadRequest(
      `invalid timeout specified in the request URL - ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return ms <= 0 ? maximumMs : Math.min(ms, maximumMs);
}

export interface Deadline {
  readonly signal: AbortSignal;
  /** Monotonic milliseconds. */
  readonly atMs: number;
  /** Call when the request is answered. */
  clear(): void;
}

export function startDeadline(clock: Clock, parent: AbortSignal, timeoutMs: number): Deadline {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(parent.reason);
  if (parent.aborted) onAbort();
  else parent.addEventListener('abort', onAbort, { once: true });
  const timer = clock.setTimer(timeoutMs, () => controller.abort(timeoutError()));
  return {
    signal: controller.signal,
    atMs: clock.monotonicMs() + timeoutMs,
    clear: () => {
      timer.cancel();
      parent.removeEventListener('abort', onAbort);
    },
  };
}

function timeoutError(): ApiError {
  return new ApiError({
    code: 504,
    reason: 'Timeout',
    message: 'Timeout: request did not complete within the allotted timeout',
    details: {},
  });
}
