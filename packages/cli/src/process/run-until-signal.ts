// The life of a long-running command: it runs until SIGINT or SIGTERM, drains, and ends with 0; a second signal ends it at
// once. It also ends when the process that started it is gone and asked for that (HOMEOSTAT_PARENT_PID).

import { type SignalStop, stopOnSignals } from '@homeostat/runtime/node';

/** Aborts at the first signal; `dispose` takes the listeners away. */
export function signalStop(): SignalStop {
  return stopOnSignals({ parentPid: Number(process.env['HOMEOSTAT_PARENT_PID'] ?? 0) });
}
