// A terminated container that will not be restarted stays terminated in the status.

import { type FieldError, type FieldPath, forbidden } from '@homeostat/machinery';
import type { Container, ContainerStatus, PodSpec, PodStatus } from '@homeostat/api/types/core-v1';
import { mayAllContainersRestart, shouldContainerRestart } from '../../../meaning/container-restart.ts';

export function validateStateTransitions(
  status: PodStatus,
  old: PodStatus,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!mayAllContainersRestart(spec)) {
    const mayRestart = (containers: readonly Container[] | undefined) => (name: string, exitCode: number) => {
      const container = containers?.find((candidate) => candidate.name === name);
      return container !== undefined && shouldContainerRestart(container, spec, exitCode);
    };
    const initPath = path.child('initContainerStatuses');
    validateList(
      status.containerStatuses,
      old.containerStatuses,
      mayRestart(spec.containers),
      path.child('containerStatuses'),
      errors,
    );
    validateList(
      status.initContainerStatuses,
      old.initContainerStatuses,
      mayRestart(spec.initContainers),
      initPath,
      errors,
    );
  }
  const ephemeralPath = path.child('ephemeralContainerStatuses');
  validateList(status.ephemeralContainerStatuses, old.ephemeralContainerStatuses, () => false, ephemeralPath, errors);
}

function validateList(
  statuses: readonly ContainerStatus[] | undefined,
  old: readonly ContainerStatus[] | undefined,
  mayRestart: (name: string, exitCode: number) => boolean,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [index, { name, state }] of (old ?? []).entries()) {
    const terminated = state?.terminated;
    if (terminated === undefined) continue;
    const now = (statuses ?? []).find((candidate) => candidate.name === name);
    if (now === undefined || now.state?.terminated !== undefined) continue;
    if (mayRestart(name, terminated.exitCode ?? 0)) continue;
    errors.push(forbidden(path.index(index).child('state'), 'may not be transitioned to non-terminated state'));
  }
}
