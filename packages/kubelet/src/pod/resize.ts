// In-place resize (spec/node.md §11): the node allots what it has room for; until then the Pod runs with what it was allotted before.
// Allotted resources take effect at once, so that a resize is either pending or over. Pure.

import type { Container, Pod, PodSpec, ResourceRequirements } from '@homeostat/api/types/core-v1';
import { deepEqual } from '@homeostat/machinery';
import { specOf } from './pod-facts.ts';

/** By container: what it may use. */
export type Allotment = ReadonlyMap<string, ResourceRequirements>;

export interface PendingResize {
  readonly reason: 'Deferred' | 'Infeasible';
  readonly message: string;
}

/** Everything the spec asks for. */
export function allotAll(pod: Pod): Allotment {
  const { containers, initContainers = [] } = specOf(pod);
  return new Map([...initContainers, ...containers].map(({ name, resources = {} }) => [name, resources]));
}

/** Containers whose spec asks for something else than they were allotted. */
export function resizedContainers(pod: Pod, allotment: Allotment): readonly Container[] {
  const { containers, initContainers = [] } = specOf(pod);
  return [...initContainers, ...containers].filter(({ name, resources = {} }) => {
    const allotted = allotment.get(name);
    return allotted !== undefined && allotted !== resources && !deepEqual(allotted, resources);
  });
}

/** The Pod as it runs: with the resources it was allotted. The same object when nothing is pending. */
export function withAllotment(pod: Pod, allotment: Allotment): Pod {
  if (resizedContainers(pod, allotment).length === 0) return pod;
  const spec = specOf(pod);
  const apply = (container: Container): Container => {
    const resources = allotment.get(container.name);
    return resources === undefined ? container : { ...container, resources };
  };
  const allotted: PodSpec = {
    ...spec,
    containers: spec.containers.map(apply),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(apply) }),
  };
  return { ...pod, spec: allotted };
}

/** Whether the change of a container's resources takes a restart. */
export function resizeRestarts(
  { resizePolicy = [], resources = {} }: Container,
  before: ResourceRequirements,
): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' &&
      (resources.requests?.[resourceName] !== before.requests?.[resourceName] ||
        resources.limits?.[resourceName] !== before.limits?.[resourceName]),
  );
}

/** What events say about a resize. */
export function resizeText(pod: Pod, error?: string): string {
  const { containers } = specOf(pod);
  return JSON.stringify({
    containers: containers.map(({ name, resources = {} }) => ({
      name,
      resources: {
        ...(resources.limits === undefined ? {} : { limits: resources.limits }),
        ...(resources.requests === undefined ? {} : { requests: resources.requests }),
      },
    })),
    generation: pod.metadata?.generation,
    ...(error === undefined ? {} : { error }),
  });
}
