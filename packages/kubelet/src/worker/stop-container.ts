// Ends one container, and all of a Pod's in their order (spec/node.md §5.6, §6): preStop, then the sidecars' wait for the others,
// then TERM and, when the time is up, KILL.

import { abortable } from '@homeostat/base';
import type { Container, Pod } from '@homeostat/api/types/core-v1';
import { containersOf, isSidecar, newestOf } from '../pod/pod-facts.ts';
import { type ContainerKind, type ContainerView, RuntimeFailure } from '../runtime/container-runtime.ts';
import type { WorkerHost } from './worker-host.ts';

export interface StopRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly kind: ContainerKind;
  readonly view: ContainerView;
  /** Of the event. */
  readonly message: string;
  readonly graceSeconds: number;
  /** Resolves when those that must end first have. */
  readonly after?: Promise<unknown>;
}

/** Even a container whose time is up gets this long between TERM and KILL. */
const graceLeastMs = 2_000;

/** Resolves when the container has ended. @throws the signal's reason */
export async function stopContainer(host: WorkerHost, request: StopRequest, signal: AbortSignal): Promise<void> {
  const { pod, container, kind, view, graceSeconds, after } = request;
  const { clock } = host.env;
  const deadlineMs = clock.monotonicMs() + graceSeconds * 1000;
  const about = { name: container.name, kind };
  host.emit(pod, { type: 'Normal', reason: 'Killing', message: request.message, container: about });
  const handler = container.lifecycle?.preStop;
  if (handler !== undefined && graceSeconds > 0) {
    const hook = host.runtime.runHook({ pod, container, view, hook: 'preStop', handler }, signal);
    try {
      await within(host, hook, deadlineMs, signal);
    } catch (error) {
      if (!(error instanceof RuntimeFailure)) throw error;
      const message = 'PreStopHook failed';
      host.emit(pod, { type: 'Warning', reason: 'FailedPreStopHook', message, container: about });
    }
  }
  if (after !== undefined) await within(host, after, deadlineMs, signal);
  const leftMs = Math.max(deadlineMs - clock.monotonicMs(), graceLeastMs);
  await abortable(host.runtime.stopContainer(view.id, leftMs), signal);
}

/** Ends all running containers: regular ones together, then sidecars from the last to the first. */
export async function stopAll(
  host: WorkerHost,
  pod: Pod,
  graceSeconds: number,
  signal: AbortSignal,
  messageOf: (container: string) => string = (container) => `Stopping container ${container}`,
): Promise<void> {
  const view = host.runtime.view(pod.metadata?.uid ?? '');
  const stop = (container: Container, kind: ContainerKind, after?: Promise<unknown>): Promise<void>[] => {
    const newest = newestOf(view, container.name);
    if (newest?.state !== 'running') return [];
    const message = messageOf(container.name);
    return [
      stopContainer(
        host,
        { pod, container, kind, view: newest, message, graceSeconds, ...(after === undefined ? {} : { after }) },
        signal,
      ),
    ];
  };
  const stopping: Promise<unknown>[] = [];
  for (const kind of ['regular', 'ephemeral'] as const) {
    for (const container of containersOf(pod.spec, kind)) stopping.push(...stop(container, kind));
  }
  for (const container of [...containersOf(pod.spec, 'init')].reverse()) {
    const after = isSidecar(container, 'init') ? Promise.allSettled(stopping) : undefined;
    stopping.push(...stop(container, 'init', after));
  }
  await Promise.all(stopping);
}

/** Waits no longer than until the deadline. */
async function within(
  host: WorkerHost,
  promise: Promise<unknown>,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<void> {
  const limit = new AbortController();
  const sleep = host.env.clock
    .sleep(Math.max(0, deadlineMs - host.env.clock.monotonicMs()), limit.signal)
    .catch(() => undefined);
  try {
    await abortable(Promise.race([promise, sleep]), signal);
  } finally {
    limit.abort();
  }
}
