// Starts one container: image, create, start, postStart, with the events a kubelet tells of it (spec/node.md §5.2, §5.5, §5.7).

import { parseImageName } from '@homeostat/api';
import type { Pod } from '@homeostat/api/types/core-v1';
import { formatDurationMs } from '@homeostat/machinery';
import type { PodEvent } from '../pod/pod-event.ts';
import type { StartFailure } from '../pod/pod-facts.ts';
import { type ContainerRequest, type ContainerRuntime, RuntimeFailure } from '../runtime/container-runtime.ts';
import { stopContainer } from './stop-container.ts';
import type { WorkerHost } from './worker-host.ts';

export type StartResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly failure: StartFailure;
      /** The image could not be pulled: the next try waits. */
      readonly pullFailed: boolean;
    };

/** Carries it out; only aborts reject. */
export async function startContainer(
  host: WorkerHost,
  request: ContainerRequest,
  signal: AbortSignal,
): Promise<StartResult> {
  const { pod, container, kind } = request;
  const emit = (type: PodEvent['type'], reason: string, message: string): void =>
    host.emit(pod, { type, reason, message, container: { name: container.name, kind } });
  try {
    const imageFailure = await ensureImage(host.runtime, request, emit, signal);
    if (imageFailure !== undefined) return imageFailure;
    const problem = await host.references.environmentProblem(pod, container, signal);
    if (problem !== undefined) throw new RuntimeFailure('CreateContainerConfigError', problem);
    const id = await host.runtime.createContainer(request, signal);
    emit('Normal', 'Created', 'Container created');
    await host.runtime.startContainer(id, signal);
    emit('Normal', 'Started', 'Container started');
    return (await runPostStart(host, request, id, emit, signal)) ?? { ok: true };
  } catch (error) {
    if (!(error instanceof RuntimeFailure)) throw error;
    emit('Warning', 'Failed', `Error: ${error.message}`);
    return failed(error);
  }
}

type Emit = (type: PodEvent['type'], reason: string, message: string) => void;

async function ensureImage(
  runtime: ContainerRuntime,
  request: ContainerRequest,
  emit: Emit,
  signal: AbortSignal,
): Promise<StartResult | undefined> {
  const { image = '', imagePullPolicy } = request.container;
  if (parseImageName(image) === undefined) {
    const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": invalid reference format`;
    emit('Warning', 'InspectFailed', message);
    emit('Warning', 'Failed', 'Error: InvalidImageName');
    return failed({ reason: 'InvalidImageName', message });
  }
  if (imagePullPolicy !== 'Always') {
    if (await runtime.hasImage(request)) {
      const message = `Container image "${image}" already present on machine and can be accessed by the pod`;
      emit('Normal', 'Pulled', message);
      return undefined;
    }
    if (imagePullPolicy === 'Never') {
      const message = `Container image "${image}" is not present with pull policy of Never`;
      emit('Warning', 'ErrImageNeverPull', message);
      emit('Warning', 'Failed', 'Error: ErrImageNeverPull');
      return failed({ reason: 'ErrImageNeverPull', message });
    }
  }
  emit('Normal', 'Pulling', `Pulling image "${image}"`);
  try {
    const { tookMs, sizeBytes } = await runtime.pullImage(request, signal);
    const took = formatDurationMs(Math.round(tookMs));
    emit(
      'Normal',
      'Pulled',
      `Successfully pulled image "${image}" in ${took} (${took} including waiting). Image size: ${sizeBytes} bytes.`,
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof RuntimeFailure)) throw error;
    emit('Warning', 'Failed', `Failed to pull image "${image}": ${error.message}`);
    emit('Warning', 'Failed', `Error: ${error.reason}`);
    return { ...failed(error), pullFailed: true };
  }
}

async function runPostStart(
  host: WorkerHost,
  request: ContainerRequest,
  id: string,
  emit: Emit,
  signal: AbortSignal,
): Promise<StartResult | undefined> {
  const { pod, container } = request;
  const handler = container.lifecycle?.postStart;
  const view = host.runtime.view(uidOf(pod)).containers.find((candidate) => candidate.id === id);
  if (handler === undefined || view === undefined) return undefined;
  try {
    await host.runtime.runHook({ pod, container, view, hook: 'postStart', handler }, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof RuntimeFailure)) throw error;
    emit('Warning', 'FailedPostStartHook', 'PostStartHook failed');
    const graceSeconds = pod.spec?.terminationGracePeriodSeconds ?? 30;
    await stopContainer(
      host,
      { pod, container, kind: request.kind, view, message: 'FailedPostStartHook', graceSeconds },
      signal,
    );
    return failed({ reason: 'PostStartHookError', message: error.message });
  }
}

export function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}

function failed({ reason, message }: StartFailure): StartResult & { readonly ok: false } {
  return { ok: false, failure: { reason, message }, pullFailed: false };
}
