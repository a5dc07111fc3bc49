// Container statuses: spec, runtime view and previous status become what the API shows (spec/node.md §4.1). Whether a container is
// started and ready is added by `readiness.ts`.

import { shouldContainerRestart } from '@homeostat/api';
import type { Container, ContainerState, ContainerStatus, VolumeMountStatus } from '@homeostat/api/types/core-v1';
import type { ContainerKind, ContainerView } from '../runtime/container-runtime.ts';
import { containerIdOf, stateOf, unknownEnd } from './container-state.ts';
import { containersOf, isSidecar, newestOf, type PodFacts, specOf, statusesOf, viewsOf } from './pod-facts.ts';

/** The statuses of one kind of containers, in the order in which they are shown. */
export function containerStatuses(kind: ContainerKind, facts: PodFacts): readonly ContainerStatus[] {
  const { pod, previous } = facts;
  const old = new Map(statusesOf(previous, kind).map((status) => [status.name, status]));
  const statuses = containersOf(pod.spec, kind).map((container) =>
    withFailure(container, kind, statusOf(container, kind, facts, old.get(container.name)), facts),
  );
  return kind === 'init' ? statuses : statuses.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function statusOf(
  container: Container,
  kind: ContainerKind,
  facts: PodFacts,
  old: ContainerStatus | undefined,
): ContainerStatus {
  const [newest, second] = viewsOf(facts.view, container.name);
  if (newest === undefined) return withoutView(container, kind, facts, old);
  const { runtimeName } = facts;
  const state = stateOf(newest, runtimeName, old);
  const lostEnd = newest.state === 'unknown' && state.terminated !== undefined ? 1 : 0;
  const lastState =
    second === undefined ? lastStateFrom(old, newest, runtimeName) : stateOf(second, runtimeName, undefined);
  return {
    name: container.name,
    state,
    lastState: lastState ?? {},
    ready: false,
    restartCount: Math.max(newest.attempt, (old?.restartCount ?? 0) + lostEnd),
    image: newest.image,
    imageID: newest.imageId,
    containerID: containerIdOf(newest, runtimeName),
    ...(kind === 'ephemeral' ? {} : resourcesOf(container)),
    ...volumeMountsOf(container),
  };
}

function withoutView(
  container: Container,
  kind: ContainerKind,
  facts: PodFacts,
  old: ContainerStatus | undefined,
): ContainerStatus {
  const { pod, view } = facts;
  if (facts.restartingAll && kind !== 'ephemeral' && old !== undefined) return restarting(container, old);
  if (old?.state?.terminated !== undefined) return old;
  const waiting: ContainerStatus = {
    name: container.name,
    state: { waiting: { reason: waitingReason(facts) } },
    lastState: old?.lastState ?? {},
    ready: false,
    restartCount: old?.restartCount ?? 0,
    image: container.image ?? '',
    imageID: '',
    ...volumeMountsOf(container),
  };
  const regularCreated = specOf(pod).containers.some(({ name }) => newestOf(view, name) !== undefined);
  if (kind === 'init' && !isSidecar(container, kind) && regularCreated) {
    const message =
      'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally';
    return {
      ...waiting,
      state: { terminated: { exitCode: 0, reason: 'Completed', message, startedAt: null, finishedAt: null } },
    };
  }
  if (old?.state?.running === undefined) return waiting;
  const deleting = pod.metadata?.deletionTimestamp !== undefined;
  return {
    ...waiting,
    lastState: unknownEnd(
      'The container could not be located when the pod was deleted.  The container used to be Running',
    ),
    restartCount: (old.restartCount ?? 0) + (deleting ? 0 : 1),
  };
}

function restarting(container: Container, old: ContainerStatus): ContainerStatus {
  const { running, terminated } = old.state ?? {};
  const killed: ContainerState = {
    terminated: {
      exitCode: 137,
      reason: 'RestartingAllContainers',
      startedAt: running?.startedAt ?? null,
      finishedAt: null,
      ...(old.containerID === undefined ? {} : { containerID: old.containerID }),
    },
  };
  const last = terminated === undefined ? (running === undefined ? old.lastState : killed) : { terminated };
  return {
    name: container.name,
    state: {
      waiting: {
        reason: 'RestartingAllContainers',
        message: 'The container is removed because RestartAllContainers in place',
      },
    },
    lastState: last ?? {},
    ready: false,
    restartCount: old.restartCount + 1,
    image: container.image ?? '',
    imageID: '',
    ...volumeMountsOf(container),
  };
}

/** A container that should be started and could not be says why; how its last instance ended moves aside. */
function withFailure(
  container: Container,
  kind: ContainerKind,
  status: ContainerStatus,
  facts: PodFacts,
): ContainerStatus {
  const failure = facts.failures.get(container.name);
  if (failure === undefined) return status;
  const { terminated } = status.state ?? {};
  if (kind === 'init' && !isSidecar(container, kind) && terminated?.exitCode === 0) return status;
  if (!wantsStart(container, facts)) return status;
  return {
    ...status,
    ...(terminated === undefined ? {} : { lastState: { terminated } }),
    state: { waiting: { reason: failure.reason, message: failure.message } },
  };
}

/** Whether a container without a running instance is to be started, back-off aside (spec/node.md §5.3). */
export function wantsStart(container: Container, { pod, view }: Pick<PodFacts, 'pod' | 'view'>): boolean {
  if (pod.metadata?.deletionTimestamp !== undefined) return false;
  const newest = newestOf(view, container.name);
  if (newest === undefined || newest.state === 'unknown' || newest.state === 'created') return true;
  if (newest.state === 'running') return false;
  return shouldContainerRestart(container, specOf(pod), newest.exitCode ?? 0);
}

function waitingReason({ pod }: PodFacts): string {
  return (pod.spec?.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating';
}

/** The runtime keeps one ended instance at most; what it has forgotten the previous status still tells. */
function lastStateFrom(
  old: ContainerStatus | undefined,
  newest: ContainerView,
  runtimeName: string,
): ContainerState | undefined {
  const ended = old?.state?.terminated;
  if (ended !== undefined && ended.containerID !== containerIdOf(newest, runtimeName)) return { terminated: ended };
  return old?.lastState;
}

function resourcesOf({ resources = {} }: Container): Pick<ContainerStatus, 'resources' | 'allocatedResources'> {
  const { requests = {} } = resources;
  return {
    ...(Object.keys(requests).length === 0 ? {} : { allocatedResources: requests }),
    resources,
  };
}

function volumeMountsOf({ volumeMounts = [] }: Container): Pick<ContainerStatus, 'volumeMounts'> {
  if (volumeMounts.length === 0) return {};
  return {
    volumeMounts: volumeMounts.map(({ name, mountPath, readOnly, recursiveReadOnly }): VolumeMountStatus => ({
      name,
      mountPath,
      ...(readOnly === true
        ? {
            readOnly,
            recursiveReadOnly:
              recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled' ? 'Disabled' : 'Enabled',
          }
        : {}),
    })),
  };
}
