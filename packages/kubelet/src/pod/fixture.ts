// Short ways to write Pods, instances and facts in tests.

import type { Container, Pod, PodSpec, PodStatus } from '@homeostat/api/types/core-v1';
import type { ContainerView, PodView, SandboxView } from '../runtime/container-runtime.ts';
import type { ProbeResult } from '../probes/probe-spec.ts';
import type { PodFacts, StartFailure } from './pod-facts.ts';
import type { BackOffMemory } from './start-decision.ts';

export const startMs = Date.UTC(2026, 0, 1);

export function container(name: string, more: Partial<Container> = {}): Container {
  return { name, image: 'busybox:1.36', ...more };
}

export function sidecar(name: string, more: Partial<Container> = {}): Container {
  return container(name, { restartPolicy: 'Always', ...more });
}

export function podOf(spec: Partial<PodSpec> = {}, status: PodStatus = {}): Pod {
  return {
    metadata: { name: 'p', namespace: 'ns', uid: 'u-1', generation: 1 },
    spec: { containers: [container('c')], ...spec },
    status,
  };
}

export function deleting(pod: Pod): Pod {
  return {
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
  };
}

export const sandbox: SandboxView = { id: 's', attempt: 0, ready: true, hostNetwork: false, ips: ['10.244.0.2'] };

/** `running`, or `exited` with a code at a second after the start. */
export function instance(
  name: string,
  state: 'running' | 'created' | 'unknown' | number,
  more: Partial<ContainerView> = {},
): ContainerView {
  const attempt = more.attempt ?? 0;
  const exited = typeof state === 'number';
  return {
    id: `${name}-${attempt}`,
    name,
    attempt,
    state: exited ? 'exited' : state,
    createdMs: startMs,
    ...(state === 'created' ? {} : { startedMs: startMs }),
    ...(exited ? { finishedMs: startMs + 1_000, exitCode: state, reason: state === 0 ? 'Completed' : 'Error' } : {}),
    image: 'docker.io/library/busybox:1.36',
    imageId: 'docker.io/library/busybox@sha256:0',
    specImage: 'busybox:1.36',
    ...more,
  };
}

export interface FactsInput {
  readonly pod?: Pod;
  readonly sandbox?: SandboxView | 'none';
  readonly containers?: readonly ContainerView[];
  readonly previous?: PodStatus;
  readonly failures?: Readonly<Record<string, StartFailure>>;
  /** By `<container>/<type>`. */
  readonly probes?: Readonly<Record<string, ProbeResult>>;
  readonly stopped?: boolean;
  readonly restartingAll?: boolean;
  readonly nowMs?: number;
}

export function factsOf(input: FactsInput = {}): PodFacts {
  const { pod = podOf(), containers = [], previous = pod.status ?? {}, failures = {}, probes = {} } = input;
  const view: PodView = {
    sandbox: input.sandbox === 'none' ? undefined : (input.sandbox ?? sandbox),
    containers,
  };
  return {
    pod,
    view,
    previous,
    failures: new Map(Object.entries(failures)),
    probes: { of: (name, type) => probes[`${name}/${type}`] },
    hostIPs: ['172.18.0.2'],
    runtimeName: 'test',
    stopped: input.stopped ?? false,
    verdict: undefined,
    restartingAll: input.restartingAll ?? false,
    resize: undefined,
    nowMs: input.nowMs ?? startMs + 10_000,
  };
}

export const noBackOff: BackOffMemory = { containers: new Map(), images: new Map() };
