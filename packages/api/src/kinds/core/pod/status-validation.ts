// Validation of a Pod's status. Follows spec/apiserver.md §13; most of it keeps a kubelet from contradicting itself.

import {
  duplicate,
  type FieldError,
  FieldPath,
  forbidden,
  invalid,
  isDns1123Label,
  isGroupId,
  isQualifiedName,
  isUserId,
  required,
} from '@homeostat/machinery';
import type {
  Container,
  ContainerStatus,
  Pod,
  PodExtendedResourceClaimStatus,
  PodSpec,
  PodStatus,
} from '@homeostat/api/types/core-v1';
import { validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { validatePodAnnotations, validatePodAnnotationsUpdate } from '../../pod-spec/annotations.ts';
import { isDualStackIps, validateIp } from '../../rules/addresses.ts';
import { nameIsDnsSubdomain } from '../../rules/names.ts';
import { immutableText, pushInvalid } from '../../rules/values.ts';
import { validateAllocatedResources } from './allocated-resources.ts';
import { validateStateTransitions } from './state-transitions.ts';
import { annotationsPath, metadataPath, podOptions, specOf } from './validation.ts';

const statusPath = new FieldPath('status');
const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

export function validatePodStatusUpdate(pod: Pod, old: Pod): FieldError[] {
  const status = pod.status ?? {};
  const oldStatus = old.status ?? {};
  const spec = specOf(pod);
  const errors = validateKubeObjectMetaUpdate(pod.metadata ?? {}, old.metadata ?? {}, metadataPath);
  validatePodAnnotationsUpdate(pod.metadata?.annotations, old.metadata?.annotations, annotationsPath, errors);
  validatePodAnnotations(pod.metadata?.annotations, spec, annotationsPath, errors, podOptions(old));
  validateConditions(status, statusPath.child('conditions'), errors);
  validateNominatedNode(status, old, statusPath.child('nominatedNodeName'), errors);
  if ((status.observedGeneration ?? 0) < 0) {
    const at = statusPath.child('observedGeneration');
    errors.push(invalid(at, status.observedGeneration, 'must be a non-negative integer'));
  }
  if ((status.qosClass ?? '') !== (oldStatus.qosClass ?? '')) {
    errors.push(invalid(statusPath.child('qosClass'), status.qosClass ?? '', immutableText));
  }
  validateStateTransitions(status, oldStatus, specOf(old), statusPath, errors);
  validateClaimStatuses(status, spec, statusPath.child('resourceClaimStatuses'), errors);
  validateExtendedClaim(
    status.extendedResourceClaimStatus,
    spec,
    statusPath.child('extendedResourceClaimStatus'),
    errors,
  );
  validateAddresses(status, oldStatus, errors);
  for (const list of statusLists) validateUsers(status[list], spec, statusPath.child(list), errors);
  validateAllocatedResources(status.containerStatuses, spec.containers, statusPath.child('containerStatuses'), errors);
  validateAllocatedResources(
    status.initContainerStatuses,
    spec.initContainers,
    statusPath.child('initContainerStatuses'),
    errors,
  );
  for (const [index, { allocatedResourcesStatus }] of (status.ephemeralContainerStatuses ?? []).entries()) {
    if ((allocatedResourcesStatus ?? []).length === 0) continue;
    const at = statusPath.child('ephemeralContainerStatuses').index(index).child('allocatedResourcesStatus');
    errors.push(forbidden(at, 'must not be specified in container status'));
  }
  return errors;
}

const systemConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

function validateConditions(status: PodStatus, path: FieldPath, errors: FieldError[]): void {
  for (const [index, { type = '', observedGeneration = 0 }] of (status.conditions ?? []).entries()) {
    if (observedGeneration < 0) {
      const at = path.index(index).child('observedGeneration');
      errors.push(invalid(at, observedGeneration, 'must be a non-negative integer'));
    }
    if (!systemConditions.has(type)) pushInvalid(isQualifiedName(type), type, path.index(index).child('Type'), errors);
  }
}

function validateNominatedNode(status: PodStatus, old: Pod, path: FieldPath, errors: FieldError[]): void {
  const name = status.nominatedNodeName ?? '';
  if (name === '' || name === (old.status?.nominatedNodeName ?? '')) return;
  pushInvalid(nameIsDnsSubdomain(name, false), name, path, errors);
  if ((old.spec?.nodeName ?? '') !== '') {
    errors.push(forbidden(path, 'may not be set on pods that are already bound to a node'));
  }
}

function validateClaimStatuses(status: PodStatus, spec: PodSpec, path: FieldPath, errors: FieldError[]): void {
  const names = new Set<string>();
  for (const [index, { name = '', resourceClaimName }] of (status.resourceClaimStatuses ?? []).entries()) {
    const at = path.index(index);
    if (!(spec.resourceClaims ?? []).some((claim) => claim.name === name)) {
      errors.push(invalid(at.child('name'), name, 'must match the name of an entry in `spec.resourceClaims`'));
    }
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    if (resourceClaimName === undefined) continue;
    pushInvalid(nameIsDnsSubdomain(resourceClaimName, false), resourceClaimName, at.child('resourceClaimName'), errors);
  }
}

function validateExtendedClaim(
  status: PodExtendedResourceClaimStatus | undefined,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (status === undefined) return;
  const containers = new Map<string, Container>();
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])])
    containers.set(container.name, container);
  const mappings = status.requestMappings ?? [];
  const mappingsPath = path.child('requestMappings');
  if (mappings.length === 0) errors.push(required(mappingsPath, 'at least one request mapping is required'));
  const seen = new Set<string>();
  for (const [index, { containerName = '', resourceName = '', requestName = '' }] of mappings.entries()) {
    const at = mappingsPath.index(index);
    const container = containers.get(containerName);
    if (container === undefined) {
      const text = 'must match the name of an entry in spec.initContainers.name or spec.containers.name';
      errors.push(invalid(at.child('containerName'), containerName, text));
    } else if (container.resources?.requests?.[resourceName] === undefined) {
      const where = 'spec.initContainers.resources.requests or spec.containers.resources.requests';
      const text = `must match the extended resource name of an entry in ${where}`;
      errors.push(invalid(at.child('resourceName'), resourceName, text));
    }
    pushInvalid(isDns1123Label(requestName), requestName, path.child('requestName'), errors);
    const key = JSON.stringify([containerName, resourceName, requestName]);
    if (seen.has(key)) {
      errors.push(duplicate(at.child('containerName'), containerName));
      errors.push(duplicate(at.child('resourceName'), resourceName));
      errors.push(duplicate(at.child('requestName'), requestName));
    }
    seen.add(key);
  }
  const claim = status.resourceClaimName ?? '';
  if (claim === '') errors.push(required(path.child('resourceClaimName')));
  else pushInvalid(nameIsDnsSubdomain(claim, false), claim, path.child('resourceClaimName'), errors);
}

function validateAddresses(status: PodStatus, old: PodStatus, errors: FieldError[]): void {
  const hostIps = status.hostIPs ?? [];
  validateAddressList(status.podIPs, old.podIPs, statusPath.child('podIPs'), errors);
  if (hostIps.length > 0 && (status.hostIP ?? '') !== (hostIps[0]?.ip ?? '')) {
    const at = statusPath.child('hostIPs').index(0).child('ip');
    errors.push(invalid(at, hostIps[0]?.ip ?? '', 'must be equal to `hostIP`'));
  }
  validateAddressList(hostIps, old.hostIPs, statusPath.child('hostIPs'), errors);
}

type Addresses = readonly { readonly ip?: string }[] | undefined;

function validateAddressList(list: Addresses, old: Addresses, path: FieldPath, errors: FieldError[]): void {
  const ips = (list ?? []).map(({ ip = '' }) => ip);
  const oldIps = (old ?? []).map(({ ip = '' }) => ip);
  for (const [index, ip] of ips.entries()) validateIp(ip, path.index(index), errors, oldIps);
  if (ips.length > 1 && (ips.length > 2 || !isDualStackIps(ips))) {
    const form = ips.map((ip) => ({ IP: ip }));
    errors.push(invalid(path, form, 'may specify no more than one IP for each IP family'));
  }
}

function validateUsers(
  statuses: readonly ContainerStatus[] | undefined,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const [index, { user }] of (statuses ?? []).entries()) {
    const linux = user?.linux;
    if (linux === undefined) continue;
    const at = path.index(index).child('user', 'linux');
    if (spec.os?.name === 'windows') errors.push(forbidden(at, 'cannot be set for a windows pod'));
    else {
      pushInvalid(isUserId(linux.uid ?? 0), linux.uid ?? 0, at.child('uid'), errors);
      pushInvalid(isGroupId(linux.gid ?? 0), linux.gid ?? 0, at.child('gid'), errors);
      for (const [groupIndex, group] of (linux.supplementalGroups ?? []).entries()) {
        pushInvalid(isGroupId(group), group, at.child('supplementalGroups').index(groupIndex), errors);
      }
    }
  }
}
