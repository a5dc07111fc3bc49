// Whether containers are started and ready: what probes found, laid over container statuses (spec/node.md §4.1, last point).

import type { ContainerStatus, Pod, PodStatus } from '@homeostat/api/types/core-v1';
import { isSidecar, type ProbeResults } from './pod-facts.ts';

/** Fills in `started` and `ready` of regular and init containers. */
export function withReadiness(status: PodStatus, pod: Pod, probes: ProbeResults, runtimeName: string): PodStatus {
  const prefix = runtimeName.length + '://'.length;
  const isStarted = (container: ContainerStatus): boolean => {
    if (container.state?.running === undefined) return false;
    const result = probes.of(container.name, 'startup', (container.containerID ?? '').slice(prefix));
    return result === undefined || result === 'success';
  };
  const isReady = (container: ContainerStatus, started: boolean): boolean => {
    if (!started) return false;
    const result = probes.of(container.name, 'readiness', (container.containerID ?? '').slice(prefix));
    return result === undefined || result === 'success';
  };
  const withProbes = (container: ContainerStatus): ContainerStatus => {
    const started = isStarted(container);
    return { ...container, started, ready: isReady(container, started) };
  };
  const sidecars = new Set(
    (pod.spec?.initContainers ?? []).filter((container) => isSidecar(container, 'init')).map(({ name }) => name),
  );
  const init = status.initContainerStatuses?.map((container): ContainerStatus => {
    const probed = withProbes(container);
    return sidecars.has(container.name) ? probed : { ...probed, ready: container.state?.terminated?.exitCode === 0 };
  });
  const regular = status.containerStatuses?.map(withProbes);
  return {
    ...status,
    ...(init === undefined ? {} : { initContainerStatuses: init }),
    ...(regular === undefined ? {} : { containerStatuses: regular }),
  };
}
