// What failing probes and hooks say, by handler (spec/node.md §4.3, §7.3).

import type { Container, LifecycleHandler, Pod, Probe } from '@homeostat/api/types/core-v1';
import { fullName } from '../pod/start-decision.ts';
import type { ProbeType } from '../probes/probe-spec.ts';
import { RuntimeFailure } from '../runtime/container-runtime.ts';

export function probeLabel(container: Container, type: ProbeType): string {
  const probe = probeOf(container, type);
  if (probe?.httpGet !== undefined) return `${type} probe GET ${probe.httpGet.path ?? '/'}`;
  return `${type} probe`;
}

/** The output of a probe that failed. */
export function probeFailureText(container: Container, type: ProbeType, podIP: string): string {
  const probe = probeOf(container, type);
  if (probe?.httpGet !== undefined) return 'HTTP probe failed with statuscode: 503';
  if (probe?.tcpSocket !== undefined)
    return `dial tcp ${probe.tcpSocket.host ?? podIP}:${probe.tcpSocket.port}: connect: connection refused`;
  if (probe?.grpc !== undefined) return 'service unhealthy (responded with "NOT_SERVING")';
  return 'simulated failure';
}

export function hookFailure(
  pod: Pod,
  container: Container,
  hook: 'postStart' | 'preStop',
  handler: LifecycleHandler,
): RuntimeFailure {
  const about = `for Container "${container.name}" in Pod "${fullName(pod)}" failed - error: `;
  const reason = hook === 'postStart' ? 'PostStartHookError' : 'PreStopHookError';
  if (handler.exec !== undefined) {
    const command = (handler.exec.command ?? []).join(' ');
    return new RuntimeFailure(
      reason,
      `Exec lifecycle hook ([${command}]) ${about}command '${command}' exited with 1: , message: ""`,
    );
  }
  if (handler.httpGet !== undefined)
    return new RuntimeFailure(reason, `HTTP lifecycle hook (${handler.httpGet.path ?? ''}) ${about}connection refused`);
  return new RuntimeFailure(reason, `Sleep lifecycle hook (${handler.sleep?.seconds ?? 0}) ${about}interrupted`);
}

function probeOf(container: Container, type: ProbeType): Probe | undefined {
  return type === 'startup'
    ? container.startupProbe
    : type === 'liveness'
      ? container.livenessProbe
      : container.readinessProbe;
}
