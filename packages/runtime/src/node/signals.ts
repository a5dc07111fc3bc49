// Signals of the operating system: the first SIGINT or SIGTERM asks to stop, the second ends the process at once.

import { realClock } from '@homeostat/base/node';

export interface SignalStopOptions {
  /** Also stops when this process, which started us, is gone: so that a test runner that is killed leaves nothing behind. */
  readonly parentPid?: number;
}

export interface SignalStop {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** Takes the listeners away. */
  dispose(): void;
}

const parentPollMs = 500;
const exitCodes: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Listens for signals until `dispose`.
 *
 * @example
 * const stop = stopOnSignals();
 * await manager.run({ signal: stop.signal });
 * stop.dispose();
 */
export function stopOnSignals({ parentPid = 0 }: SignalStopOptions = {}): SignalStop {
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (stop.signal.aborted) process.exit(exitCodes[name] ?? 1);
    stop.abort(new Error(`received ${name}`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  let poll: { cancel(): void } | undefined;
  // A parent's death is told to nobody; whose child one is, is.
  const lookAtParent = (): void => {
    if (process.ppid !== parentPid) stop.abort(new Error('the parent process is gone'));
    else poll = realClock.setTimer(parentPollMs, lookAtParent);
  };
  if (parentPid > 0) lookAtParent();
  return {
    signal: stop.signal,
    dispose: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      poll?.cancel();
    },
  };
}
