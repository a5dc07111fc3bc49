// What the process itself looks like, for the diagnostics page: memory, how long the event loop stood still, what keeps the process alive.

import { monitorEventLoopDelay } from 'node:perf_hooks';

let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;

/** A picture as JSON. The event loop is measured from the first call on; times in milliseconds, sizes in bytes. */
export function processDiagnosis(): unknown {
  if (delay === undefined) {
    delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
  }
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return {
    pid: process.pid,
    node: process.version,
    uptimeSeconds: process.uptime(),
    memory: process.memoryUsage(),
    cpuMicroseconds: process.cpuUsage(),
    eventLoopDelayMs: {
      mean: delay.mean / 1e6,
      p99: delay.percentile(99) / 1e6,
      max: delay.max / 1e6,
    },
    activeResources: resources,
  };
}
