// What the pure half of the kubelet looks at: everything a Pod's status and the next commands follow from.

import type { Container, ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from '@homeostat/api/types/core-v1';
import type { AnyContainer, ContainerKind, ContainerView, PodView } from '../runtime/container-runtime.ts';
import type { ProbeResult, ProbeType } from '../probes/probe-spec.ts';
import type { PendingResize } from './resize.ts';

/** Why a container is not there: what its waiting state shows. */
export interface StartFailure {
  readonly reason: string;
  readonly message: string;
}

/** The end of a Pod that the kubelet itself decided on. */
export interface PodVerdict {
  readonly reason: string;
  readonly message: string;
}

export interface PodFacts {
  /** As the API server has it: spec and metadata count; its status only where ours is older. */
  readonly pod: Pod;
  readonly view: PodView;
  /** The status generated last. */
  readonly previous: PodStatus;
  /** By container: why the last attempt to start it failed. */
  readonly failures: ReadonlyMap<string, StartFailure>;
  readonly probes: ProbeResults;
  readonly hostIPs: readonly string[];
  /** Prefix of container ids. */
  readonly runtimeName: string;
  /** Everything has been stopped for good. */
  readonly stopped: boolean;
  readonly verdict: PodVerdict | undefined;
  /** All containers have just been removed to start anew. */
  readonly restartingAll: boolean;
  /** The spec asks for resources that the Pod has not got. */
  readonly resize: PendingResize | undefined;
  readonly nowMs: number;
}

/** Results of the probes of present instances. */
export interface ProbeResults {
  /** undefined: the container has no such probe. An instance that was not probed yet has its initial result. */
  of(container: string, type: ProbeType, containerId: string): ProbeResult | undefined;
}

/** Init containers that run beside the others. */
export function isSidecar(container: AnyContainer, kind: ContainerKind): boolean {
  return kind === 'init' && container.restartPolicy === 'Always';
}

export function containersOf(spec: PodSpec | undefined, kind: ContainerKind): readonly Container[] {
  switch (kind) {
    case 'regular':
      return spec?.containers ?? [];
    case 'init':
      return spec?.initContainers ?? [];
    case 'ephemeral':
      return spec?.ephemeralContainers ?? [];
  }
}

export function specOf(pod: Pod): PodSpec {
  return pod.spec ?? { containers: [] };
}

/** Instances of one container, newest first. */
export function viewsOf(view: PodView, name: string): readonly ContainerView[] {
  return view.containers.filter((container) => container.name === name);
}

export function newestOf(view: PodView, name: string): ContainerView | undefined {
  return view.containers.find((container) => container.name === name);
}

export function statusesOf(status: PodStatus, kind: ContainerKind): readonly ContainerStatus[] {
  switch (kind) {
    case 'regular':
      return status.containerStatuses ?? [];
    case 'init':
      return status.initContainerStatuses ?? [];
    case 'ephemeral':
      return status.ephemeralContainerStatuses ?? [];
  }
}

export function isTerminalPhase(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

const kubeletConditions: ReadonlySet<string> = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'PodReadyToStartContainers',
  'PodResizePending',
  'PodResizeInProgress',
  'AllContainersRestarting',
]);

/** Whether the kubelet alone says what a condition is. DisruptionTarget is shared: it is not among them. */
export function isKubeletCondition({ type }: Pick<PodCondition, 'type'>): boolean {
  return kubeletConditions.has(type);
}
