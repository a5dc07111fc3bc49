// What the peers of the benchmarks have in common: modes on the command line, one JSON object a line on stdout.

import { readFileSync } from 'node:fs';

/** Bytes of a field of /proc/self/status, e.g. `VmRSS`. */
export function memory(field: string): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
}

export function tell(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Counts events of all handlers; `elapsed` resolves with the milliseconds from the first to the last wanted one. */
export class EventCount {
  #heard = 0;
  #wanted = Infinity;
  #startedMs = 0;
  #done: ((elapsedMs: number) => void) | undefined;

  heard(): void {
    if (this.#heard === 0) this.#startedMs = performance.now();
    this.#heard++;
    if (this.#heard === this.#wanted) this.#done?.(performance.now() - this.#startedMs);
  }

  elapsed(wanted: number): Promise<number> {
    this.#wanted = wanted;
    return new Promise((resolve) => (this.#done = resolve));
  }
}

/** The first line of stdin. */
export async function readLine(): Promise<string> {
  process.stdin.setEncoding('utf8');
  let text = '';
  for await (const chunk of process.stdin) {
    text += chunk as string;
    if (text.includes('\n')) break;
  }
  return text.slice(0, text.indexOf('\n'));
}

/** Prints the median and the 99th percentile. */
export function tellLatencies(times: number[]): void {
  times.sort((a, b) => a - b);
  tell({ p50: times[Math.floor(times.length / 2)], p99: times[Math.floor(times.length * 0.99)] });
}
