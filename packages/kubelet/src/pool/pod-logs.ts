// `kubectl logs` at the node (spec/node.md §20.2): which instance is meant, and its lines as bytes. The API server calls this for Pods of the
// pool; what it throws is what a kubelet answers.

import type { ContainerStatus, Pod } from '@homeostat/api/types/core-v1';
import type { Env } from '@homeostat/base';
import { formatTime, type KubeObject, newBadRequest, newNotFound, parseTime } from '@homeostat/machinery';
import type { ContainerRuntime, LogLine } from '../runtime/container-runtime.ts';

/** `core/v1 PodLogOptions`. */
export interface LogOptions {
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly stream?: string;
}

export type PodLogs = (pod: KubeObject, options: LogOptions, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

/** Opens the log of a container. @throws ApiError */
export function openLog(
  { env, runtime }: { readonly env: Env; readonly runtime: ContainerRuntime },
  pod: Pod,
  options: LogOptions,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const name = options.container ?? pod.spec?.containers[0]?.name ?? '';
  const containerId = instanceOf(pod, name, options.previous === true);
  const id = containerId.slice(containerId.indexOf('://') + '://'.length);
  const known = runtime.view(pod.metadata?.uid ?? '').containers.some((container) => container.id === id);
  if (!known) throw newBadRequest(`unable to retrieve container logs for ${containerId}`);
  const sinceMs =
    options.sinceTime !== undefined
      ? parseTime(options.sinceTime)
      : options.sinceSeconds === undefined
        ? undefined
        : env.clock.nowMs() - Number(options.sinceSeconds) * 1000;
  const lines = runtime.logs(
    { pod, containerId: id, follow: options.follow === true, sinceMs, tailLines: options.tailLines },
    signal,
  );
  return toBytes(lines, options);
}

/** The id of the instance whose log is meant. */
function instanceOf(pod: Pod, name: string, previous: boolean): string {
  const podName = pod.metadata?.name ?? '';
  const status = findStatus(pod, name);
  const about = `container "${name}" in pod "${podName}"`;
  if (status === undefined) {
    const { spec } = pod;
    const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
    if (!all.some((container) => container.name === name)) throw newNotFound({ group: '', resource: 'pods' }, podName);
    throw newBadRequest(`${about} is not available`);
  }
  const { state = {}, lastState = {} } = status;
  const last = lastState.terminated?.containerID;
  if (previous) {
    if (last === undefined)
      throw newBadRequest(`previous terminated container "${name}" in pod "${podName}" not found`);
    return last;
  }
  if (state.running !== undefined) return status.containerID ?? '';
  if (state.terminated !== undefined) {
    const id = state.terminated.containerID ?? last;
    if (id === undefined) throw newBadRequest(`${about} is terminated`);
    return id;
  }
  if (last !== undefined) return last;
  throw newBadRequest(`${about} is waiting to start: ${waitingText(state.waiting?.reason)}`);
}

function waitingText(reason: string | undefined): string {
  if (reason === 'ErrImagePull') return "image can't be pulled";
  if (reason === 'ImagePullBackOff') return 'trying and failing to pull image';
  return reason === undefined || reason === '' ? 'no logs yet' : reason;
}

function findStatus({ status = {} }: Pod, name: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (container) => container.name === name,
  );
}

async function* toBytes(lines: AsyncIterable<LogLine>, options: LogOptions): AsyncGenerator<Uint8Array, void, void> {
  const encoder = new TextEncoder();
  let left = options.limitBytes === undefined ? Infinity : Number(options.limitBytes);
  for await (const { ms, text } of lines) {
    const bytes = encoder.encode(options.timestamps === true ? `${nanoTime(ms)} ${text}\n` : `${text}\n`);
    yield bytes.length <= left ? bytes : bytes.subarray(0, left);
    left -= bytes.length;
    if (left <= 0) return;
  }
}

/** RFC 3339 with nine digits, so that lines stay aligned. */
function nanoTime(ms: number): string {
  const nanos = Math.floor((ms - Math.floor(ms / 1000) * 1000) * 1e6);
  return `${formatTime(ms).slice(0, -1)}.${String(nanos).padStart(9, '0')}Z`;
}
