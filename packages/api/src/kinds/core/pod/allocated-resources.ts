// The health of devices that containers hold, as the kubelet reports it.

import {
  duplicate,
  type FieldError,
  type FieldPath,
  invalid,
  notSupported,
  required,
  tooLong,
  utf8Length,
} from '@homeostat/machinery';
import type { Container, ContainerStatus, ResourceHealth } from '@homeostat/api/types/core-v1';
import { own } from '../../rules/values.ts';

const health = ['Healthy', 'Unhealthy', 'Unknown'];
const messageBytesMax = 1024;

export function validateAllocatedResources(
  statuses: readonly ContainerStatus[] | undefined,
  containers: readonly Container[] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [index, status] of (statuses ?? []).entries()) {
    const at = path.index(index).child('allocatedResourcesStatus');
    const container = (containers ?? []).find(({ name }) => name === status.name);
    for (const [resourceIndex, { name = '', resources }] of (status.allocatedResourcesStatus ?? []).entries()) {
      if (container !== undefined) validateName(name, container, at.index(resourceIndex).child('name'), errors);
      validateHealth(resources ?? [], at.index(resourceIndex).child('resources'), errors);
    }
  }
}

function validateName(name: string, container: Container, path: FieldPath, errors: FieldError[]): void {
  if (!name.startsWith('claim:')) {
    if (own(container.resources?.requests, name) !== undefined) return;
    errors.push(invalid(path, name, "must match one of the container's resource requests"));
    return;
  }
  const claims = (container.resources?.claims ?? []).map((claim) =>
    (claim.request ?? '') === '' ? `claim:${claim.name}` : `claim:${claim.name}/${claim.request}`,
  );
  if (claims.includes(name)) return;
  const form = "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  errors.push(invalid(path, name, `must match one of the container's resource claims in a format ${form}`));
}

function validateHealth(resources: readonly ResourceHealth[], path: FieldPath, errors: FieldError[]): void {
  const ids = new Set<string>();
  for (const [index, resource] of resources.entries()) {
    const at = path.index(index);
    const state: string = resource.health ?? '';
    if (!health.includes(state)) errors.push(notSupported(at.child('health'), state, health));
    if (resource.message === '') errors.push(required(at.child('message'), 'must be non-empty if specified'));
    else if (utf8Length(resource.message ?? '') > messageBytesMax)
      errors.push(tooLong(at.child('message'), messageBytesMax));
    const id = resource.resourceID ?? '';
    if (ids.has(id)) errors.push(duplicate(at.child('resourceID'), id));
    ids.add(id);
  }
}
