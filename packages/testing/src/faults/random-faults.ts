// The usual weather: rules that hit a small share of all requests with everything that happens in real networks.

import type { Fault, FaultRule } from './fault.ts';

export interface RandomFaultOptions {
  /** Share of requests that are hit; default 0.05. */
  readonly rate?: number;
  /** Longest delay of slow answers and lagging watches, milliseconds; default 2,000. */
  readonly delayMaxMs?: number;
  /** Also lose single watch events, which only a periodic comparison with the server can find; default false. */
  readonly swallow?: boolean;
}

/** Rules for {@link FaultInjector.add}: errors, resets, slowness for requests; cuts and lag for watches. */
export function randomFaults({
  rate = 0.05,
  delayMaxMs = 2_000,
  swallow = false,
}: RandomFaultOptions = {}): readonly FaultRule[] {
  const answers: readonly Fault[] = [
    { kind: 'answer', status: 409 },
    { kind: 'answer', status: 429, retryAfterSeconds: 1 },
    { kind: 'answer', status: 500 },
    { kind: 'answer', status: 503, retryAfterSeconds: 1 },
    { kind: 'answer', status: 504 },
  ];
  const resets: readonly Fault[] = [
    { kind: 'reset', when: 'before' },
    { kind: 'reset', when: 'after' },
  ];
  const pick = (faults: readonly Fault[], at: number): Fault => faults[at % faults.length] as Fault;
  return [
    {
      match: ({ verb }) => verb === 'watch',
      probability: Math.min(1, rate * 5),
      fault: (random) => {
        const kind = random.int(swallow ? 4 : 3);
        if (kind === 0) return { kind: 'lag-watch', delayMs: random.int(delayMaxMs) };
        if (kind === 3) return { kind: 'swallow-event', afterEvents: random.int(30) };
        return { kind: 'cut-watch', afterEvents: random.int(40), how: kind === 1 ? 'reset' : 'end' };
      },
    },
    // Reads are never answered with a conflict.
    {
      match: ({ verb }) => verb === 'get' || verb === 'list' || verb === 'watch',
      probability: rate,
      fault: (random) => (random.int(2) === 0 ? pick(answers, 1 + random.int(4)) : pick(resets, random.int(2))),
    },
    {
      match: ({ verb }) => verb !== 'get' && verb !== 'list' && verb !== 'watch',
      probability: rate,
      fault: (random) => {
        const kind = random.int(3);
        if (kind === 0) return pick(answers, random.int(answers.length));
        if (kind === 1) return pick(resets, random.int(2));
        return { kind: 'slow', delayMs: random.int(delayMaxMs), when: random.int(2) === 0 ? 'before' : 'after' };
      },
    },
  ];
}
