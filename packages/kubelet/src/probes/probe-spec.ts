// A probe with its defaults filled in, in milliseconds; the handler is left to whoever carries it out.

import type { Container, Probe } from '@homeostat/api/types/core-v1';

export type ProbeType = 'startup' | 'liveness' | 'readiness';
export const probeTypes: readonly ProbeType[] = ['startup', 'liveness', 'readiness'];

export type ProbeResult = 'success' | 'failure' | 'unknown';

export interface ProbeSpec {
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** Grace of the kill that this probe causes. */
  readonly terminationGraceSeconds?: number;
  /** Failures are no news to anybody: no event. */
  readonly silent?: boolean;
}

/** The container's probe of a type; undefined when it has none. */
export function probeSpecOf(container: Container, type: ProbeType): ProbeSpec | undefined {
  const probe = probeOf(container, type);
  return probe === undefined ? undefined : toProbeSpec(probe);
}

function probeOf(container: Container, type: ProbeType): Probe | undefined {
  switch (type) {
    case 'startup':
      return container.startupProbe;
    case 'liveness':
      return container.livenessProbe;
    case 'readiness':
      return container.readinessProbe;
  }
}

function toProbeSpec(probe: Probe): ProbeSpec {
  const grace = probe.terminationGracePeriodSeconds;
  return {
    initialDelayMs: (probe.initialDelaySeconds ?? 0) * 1000,
    periodMs: positive(probe.periodSeconds, 10) * 1000,
    timeoutMs: positive(probe.timeoutSeconds, 1) * 1000,
    successThreshold: positive(probe.successThreshold, 1),
    failureThreshold: positive(probe.failureThreshold, 3),
    ...(grace === undefined ? {} : { terminationGraceSeconds: grace }),
  };
}

function positive(value: number | undefined, otherwise: number): number {
  return value === undefined || value <= 0 ? otherwise : value;
}
