// The clock port. Two implementations: `platform/real-clock.ts` and `virtual-clock.ts`.

/** A pending timer; cancelling one that has fired does nothing. */
export interface Timer {
  cancel(): void;
}

/** Time as components see it. Wall time may jump; monotonic time never goes back. */
export interface Clock {
  /** Wall clock in milliseconds since the epoch; may carry a fraction (microseconds). */
  nowMs(): number;
  /** Monotonic milliseconds since an arbitrary start; for durations and deadlines. */
  monotonicMs(): number;
  /** Calls `callback` once, after at least `delayMs`. Delays beyond 2^31 ms are honoured. Negative means 0. */
  setTimer(delayMs: number, callback: () => void): Timer;
  /**
   * Resolves after `delayMs`.
   * @throws the signal's reason when `signal` aborts first.
   */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Lets every other ready task run first; long loops await it at least every 10 ms (design law 15). */
  yield(): Promise<void>;
}

/** Shared implementation of {@link Clock.sleep} over any `setTimer`. */
export function sleepOn(clock: Pick<Clock, 'setTimer'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
