// A full turn of the real event loop: when it resolves, every microtask that was runnable has run.

/** Resolves in the next macrotask. Only clocks may use it; everyone else awaits `Clock.yield()`. */
export function nextMacrotask(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
