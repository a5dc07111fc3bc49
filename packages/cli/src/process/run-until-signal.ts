// The life of a long-running command: it runs until SIGINT or SIGTERM, drains, and ends with 0; a second signal ends it at
// once. It also ends when the process that started it is gone and asked for that (HOMEOSTAT_PARENT_PID).

/** Aborts at the first signal; `dispose` takes the listeners away. */
export function signalStop(): { readonly signal: AbortSignal; dispose(): void } {
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
    stop.abort(new Error(`received ${name}`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const parent = Number(process.env['HOMEOSTAT_PARENT_PID'] ?? 0);
  const watch = parent > 0 ? setInterval(() => stopWithParent(parent, stop), 500) : undefined;
  watch?.unref();
  return {
    signal: stop.signal,
    dispose: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      clearInterval(watch);
    },
  };
}

function stopWithParent(parent: number, stop: AbortController): void {
  if (process.ppid === parent || stop.signal.aborted) return;
  stop.abort(new Error('the parent process is gone'));
}
