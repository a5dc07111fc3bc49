// Walks all containers of a Pod spec with their paths, in upstream's order: init, ordinary, ephemeral.

import type { FieldPath } from '@homeostat/machinery';
import type { Container, PodSpec } from '@homeostat/api/types/core-v1';

export interface ContainerAt {
  readonly container: Container;
  readonly path: FieldPath;
}

export function containersWithPaths(spec: PodSpec, specPath: FieldPath): readonly ContainerAt[] {
  const found: ContainerAt[] = [];
  for (const name of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const containers: readonly Container[] = spec[name] ?? [];
    const listPath = specPath.child(name);
    for (const [index, container] of containers.entries()) found.push({ container, path: listPath.index(index) });
  }
  return found;
}

export function allContainers(spec: PodSpec): readonly Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** A sidecar: an init container that keeps running beside the others. */
export function isRestartableInit(container: Container): boolean {
  return container.restartPolicy === 'Always';
}
