// Reads the log of a simulated container: what is there, and with `follow` what comes, until the container has ended
// or nobody wants it any more.

import { abortable, type Env } from '@homeostat/base';
import type { LogLine, LogRequest } from '../runtime/container-runtime.ts';
import type { SimulatedContainer } from './simulated-container.ts';

export async function* followLog(
  container: SimulatedContainer,
  { follow, sinceMs, tailLines }: LogRequest,
  env: Env,
  signal: AbortSignal,
): AsyncGenerator<LogLine, void, void> {
  let fromMs = -Infinity;
  let position = 0;
  let first = true;
  for (;;) {
    const ended = container.view.state === 'exited';
    const changed = container.log.changed();
    const readMs = env.clock.nowMs();
    const { lines, next } = container.lines(fromMs, position);
    const wanted = first && tailLines !== undefined ? lines.slice(Math.max(0, lines.length - tailLines)) : lines;
    first = false;
    position = next;
    fromMs = readMs;
    for (const line of wanted) if (sinceMs === undefined || line.ms >= sinceMs) yield line;
    if (!follow || ended) return;
    const timer = new AbortController();
    const waits = container.nextLineMs();
    const beat = waits === Infinity ? [] : [env.clock.sleep(waits, timer.signal).catch(() => undefined)];
    try {
      await abortable(Promise.race([changed, ...beat]), signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    } finally {
      timer.abort();
    }
  }
}
