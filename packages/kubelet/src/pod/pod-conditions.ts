// The conditions that are the kubelet's to say, in the order in which they are written (spec/node.md §4.5). Transition times are added
// by `generate-status.ts`.

import type { ContainerStatus, Pod, PodCondition, PodStatus } from '@homeostat/api/types/core-v1';
import { mayAllContainersRestart } from '@homeostat/api';
import type { PodView } from '../runtime/container-runtime.ts';
import { isSidecar, type PodFacts, specOf } from './pod-facts.ts';

/** A condition before its times are known. */
export interface Finding {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** The one condition that does not tell the generation it is about. */
export const restartingType = 'AllContainersRestarting';

/** PodResizePending if so, PodReadyToStartContainers, Initialized, Ready, ContainersReady, PodScheduled. */
export function podFindings(
  pod: Pod,
  status: PodStatus,
  { view, resize, restartingAll, previous }: Pick<PodFacts, 'view' | 'resize' | 'restartingAll' | 'previous'>,
): readonly Finding[] {
  const containersReady = findContainersReady(pod, status);
  return [
    ...(resize === undefined ? [] : [{ type: 'PodResizePending', status: 'True' as const, ...resize }]),
    { type: 'PodReadyToStartContainers', status: hasNetwork(pod, view) ? 'True' : 'False' },
    findInitialized(pod, status, previous),
    findReady(pod, status.conditions ?? [], containersReady),
    containersReady,
    { type: 'PodScheduled', status: 'True' },
    ...findRestartingAll(pod, status, restartingAll),
  ];
}

/** Whether the newest sandbox is up and is the right one for the Pod. */
export function hasNetwork(pod: Pod, { sandbox }: PodView): boolean {
  if (sandbox?.ready !== true) return false;
  const hostNetwork = pod.spec?.hostNetwork === true;
  return sandbox.hostNetwork === hostNetwork && (hostNetwork || sandbox.ips.length > 0);
}

function findInitialized(pod: Pod, status: PodStatus, previous: PodStatus): Finding {
  const type = 'Initialized';
  const containers = pod.spec?.initContainers ?? [];
  if (containers.length === 0)
    return status.phase === 'Succeeded' ? { type, status: 'True', reason: 'PodCompleted' } : { type, status: 'True' };
  const statuses = status.initContainerStatuses ?? [];
  if (statuses.length === 0) return { type, status: 'False', reason: 'UnknownContainerStatuses' };
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of containers) {
    const known = find(statuses, container.name);
    if (known === undefined) unknown.push(container.name);
    else if (isSidecar(container, 'init') ? known.started !== true : !known.ready) incomplete.push(container.name);
  }
  if (status.phase === 'Succeeded' && unknown.length === 0) return { type, status: 'True', reason: 'PodCompleted' };
  // Regular containers only ever start after initialization.
  if ((status.containerStatuses ?? []).some(hasEverStarted)) return { type, status: 'True' };
  // Where all containers may start anew, what was once initialized stays so.
  const before = previous.conditions?.find((condition) => condition.type === type);
  if (before?.status === 'True' && mayAllContainersRestart(specOf(pod))) return { type, status: 'True' };
  const parts = [
    ...(unknown.length === 0 ? [] : [`containers with unknown status: [${unknown.join(' ')}]`]),
    ...(incomplete.length === 0 ? [] : [`containers with incomplete status: [${incomplete.join(' ')}]`]),
  ];
  if (parts.length === 0) return { type, status: 'True' };
  return { type, status: 'False', reason: 'ContainersNotInitialized', message: parts.join(', ') };
}

function findRestartingAll(pod: Pod, { phase }: PodStatus, restartingAll: boolean): readonly Finding[] {
  const type = restartingType;
  if (!mayAllContainersRestart(specOf(pod))) return [];
  if (phase === 'Succeeded') return [{ type, status: 'False', reason: 'PodCompleted' }];
  if (phase === 'Failed') return [{ type, status: 'False', reason: 'PodFailed' }];
  if (!restartingAll) return [{ type, status: 'False' }];
  const message = 'container exited with restart policy rule';
  return [{ type, status: 'True', reason: 'RestartAllContainersStarted', message }];
}

function findContainersReady(pod: Pod, status: PodStatus): Finding {
  const type = 'ContainersReady';
  const regular = status.containerStatuses ?? [];
  if (regular.length === 0) return { type, status: 'False', reason: 'UnknownContainerStatuses' };
  const spec = specOf(pod);
  const unknown: string[] = [];
  const unready: string[] = [];
  const sort = (name: string, known: ContainerStatus | undefined): void => {
    if (known === undefined) unknown.push(name);
    else if (!known.ready) unready.push(name);
  };
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container, 'init')) sort(container.name, find(status.initContainerStatuses ?? [], container.name));
  }
  for (const { name } of spec.containers) sort(name, find(regular, name));
  if (status.phase === 'Succeeded' && unknown.length === 0) return { type, status: 'False', reason: 'PodCompleted' };
  if (status.phase === 'Failed') return { type, status: 'False', reason: 'PodFailed' };
  const parts = [
    ...(unknown.length === 0 ? [] : [`containers with unknown status: [${unknown.join(' ')}]`]),
    ...(unready.length === 0 ? [] : [`containers with unready status: [${unready.join(' ')}]`]),
  ];
  if (parts.length === 0) return { type, status: 'True' };
  return { type, status: 'False', reason: 'ContainersNotReady', message: parts.join(', ') };
}

/** Ready: all containers are, and all readiness gates are open. `present`: the conditions the gates look at. */
export function findReady(pod: Pod, present: readonly PodCondition[], containersReady: Finding): Finding {
  const type = 'Ready';
  if (containersReady.status !== 'True') return { ...containersReady, type };
  const closed = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = present.find((candidate) => candidate.type === conditionType);
    if (condition === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (condition.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
  if (closed.length === 0) return { type, status: 'True' };
  return { type, status: 'False', reason: 'ReadinessGatesNotReady', message: closed.join(', ') };
}

function hasEverStarted({ started, state, lastState }: ContainerStatus): boolean {
  return (
    started === true ||
    state?.running !== undefined ||
    state?.terminated !== undefined ||
    lastState?.terminated !== undefined
  );
}

function find(statuses: readonly ContainerStatus[], name: string): ContainerStatus | undefined {
  return statuses.find((status) => status.name === name);
}
