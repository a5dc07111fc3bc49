// How long a pod that failed waits (spec/scheduler.md §4.2): 1, 2, 4, 8, 10, 10 … seconds, its end cut to the whole second, as the timer
// that ends it is. So the wait is longer than that, by a second at most.

import type { QueuedPod } from './queued-pod.ts';

export interface BackoffOptions {
  /** Milliseconds. Default 1000. */
  readonly initialMs?: number;
  /** Milliseconds, default 10000; 0: no back-off at all. */
  readonly maxMs?: number;
}

export class Backoff {
  readonly #initialMs: number;
  readonly #maxMs: number;

  constructor({ initialMs = 1_000, maxMs = 10_000 }: BackoffOptions = {}) {
    this.#initialMs = initialMs;
    this.#maxMs = maxMs;
  }

  /** How long the pod waits after its last attempt, milliseconds. */
  durationMs(pod: QueuedPod): number {
    const count = pod.consecutiveErrors > 0 ? pod.consecutiveErrors : pod.unschedulableCount;
    if (count === 0) return 0;
    return Math.min(this.#initialMs * 2 ** Math.min(count - 1, 30), this.#maxMs);
  }

  /** When its back-off ends, epoch milliseconds; 0: it has none. */
  endsAtMs(pod: QueuedPod): number {
    if (pod.backoffUntilMs === undefined) {
      const durationMs = this.durationMs(pod);
      pod.backoffUntilMs = durationMs === 0 ? 0 : wholeSecond(pod.timestampMs + durationMs);
    }
    return pod.backoffUntilMs;
  }

  isBackingOff(pod: QueuedPod, nowMs: number): boolean {
    const endsAtMs = this.endsAtMs(pod);
    return endsAtMs !== 0 && endsAtMs >= wholeSecond(nowMs);
  }
}

export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
