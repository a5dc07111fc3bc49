// The operating system's clock behind the Clock port.

import { sleepOn, type Clock, type Timer } from '../clock.ts';
import { nextMacrotask } from './macrotask.ts';

// setTimeout takes a 32-bit delay: longer ones fire at once, so they are walked in steps.
const longestDelayMs = 2 ** 31 - 1;

function setTimer(delayMs: number, callback: () => void): Timer {
  const dueMs = performance.now() + delayMs;
  let handle: ReturnType<typeof setTimeout>;
  const arm = (): void => {
    const leftMs = dueMs - performance.now();
    handle = leftMs > longestDelayMs ? setTimeout(arm, longestDelayMs) : setTimeout(callback, Math.max(0, leftMs));
  };
  arm();
  return { cancel: () => clearTimeout(handle) };
}

/** The real {@link Clock}. Wall time follows the system clock, with microseconds. */
export const realClock: Clock = {
  nowMs: () => {
    const wall = Date.now();
    // Date.now() has whole milliseconds; the fraction of the monotonic clock tells events of one millisecond apart.
    return wall + ((performance.timeOrigin + performance.now()) % 1);
  },
  monotonicMs: () => performance.now(),
  setTimer,
  sleep: (delayMs, signal) => sleepOn({ setTimer }, delayMs, signal),
  yield: nextMacrotask,
};
