// The `resize` subresource: cpu and memory of containers, and of the Pod as a whole, change in place.

import { type FieldError, FieldPath, forbidden, invalid, type Mutable } from '@homeostat/machinery';
import type { Container, Pod, PodSpec, ResourceRequirements } from '@homeostat/api/types/core-v1';
import { computeQosClass } from '../../../meaning/pod-qos.ts';
import { structByName } from '../../../scheme/scheme.ts';
import type { UpdateStrategy } from '../../../strategy.ts';
import { validateKubeObjectMetaUpdate } from '../../metadata/object-meta.ts';
import { resetMetadataForStatus } from '../../metadata/reset-metadata.ts';
import { isMirrorPod } from '../../pod-spec/annotations.ts';
import { isRestartableInit } from '../../pod-spec/visit.ts';
import { own } from '../../rules/values.ts';
import { semanticEqual } from '../../semantic-equal.ts';
import { keepField } from '../../update-parts.ts';
import { bumpPodGeneration } from './generation.ts';
import { metadataPath, podOptions, sameSpec, specOf, specPath, validatePod } from './validation.ts';

export const resizeStrategy: UpdateStrategy<Pod> = {
  prepareForUpdate(draft, old) {
    keepAllButResources(draft, old);
    bumpPodGeneration(draft, old);
  },
  validateUpdate: validateResize,
};

type ContainerList = 'containers' | 'initContainers';

/** With other containers than before the request is left as it is, for validation to refuse. */
function keepAllButResources(draft: Mutable<Pod>, old: Pod): void {
  const spec = (draft.spec ??= { containers: [] });
  const oldSpec = specOf(old);
  const sameLength = (field: ContainerList): boolean => (spec[field] ?? []).length === (oldSpec[field] ?? []).length;
  if (!sameLength('containers') || !sameLength('initContainers')) return;
  const kept = { ...oldSpec } as Mutable<PodSpec>;
  const resources = spec.resources;
  if (resources === undefined) delete kept.resources;
  else kept.resources = resources;
  kept.containers = keepContainers(spec.containers, oldSpec.containers);
  if (spec.initContainers === undefined) delete kept.initContainers;
  else kept.initContainers = keepContainers(spec.initContainers, oldSpec.initContainers);
  draft.spec = kept;
  keepField(draft, old, 'status');
  resetMetadataForStatus(draft, old);
}

function keepContainers(
  containers: Mutable<Container>[] | undefined,
  old: readonly Container[] | undefined,
): Mutable<Container>[] {
  const list = containers ?? [];
  if (list.some(({ name }, index) => name !== old?.[index]?.name)) return list;
  return list.map(({ resources, resizePolicy }, index) => {
    const container = { ...old?.[index] } as Mutable<Container>;
    if (resources === undefined) delete container.resources;
    else container.resources = resources;
    if (resizePolicy === undefined) delete container.resizePolicy;
    else container.resizePolicy = resizePolicy;
    return container;
  });
}

const containerSchema = structByName('io.k8s.api.core.v1.Container');
const requirementsSchema = structByName('io.k8s.api.core.v1.ResourceRequirements');
const onlyCpuAndMemory = 'only cpu and memory resources are mutable';

function validateResize(pod: Pod, old: Pod): readonly FieldError[] {
  const nowhere = new FieldPath('[]');
  if (isMirrorPod(old.metadata ?? {})) return [forbidden(nowhere, 'static pods cannot be resized')];
  if (old.spec?.os?.name === 'windows') return [forbidden(nowhere, 'windows pods cannot be resized')];
  const spec = specOf(pod);
  const oldSpec = specOf(old);
  const errors = [
    ...validateKubeObjectMetaUpdate(pod.metadata ?? {}, old.metadata ?? {}, metadataPath),
    ...validatePod(pod, podOptions(old)),
  ];
  if ((old.status?.qosClass ?? computeQosClass(oldSpec)) !== computeQosClass(spec)) {
    const text = 'Pod QOS Class may not change as a result of resizing';
    errors.push(invalid(specPath, pod.status?.qosClass ?? '', text));
  }
  if (!isResizeSupported(old)) errors.push(forbidden(specPath, 'Pod running on node without support for resize'));
  const podLevel = validatePodLevel(spec, oldSpec, errors);
  if ((old.status?.nodeAllocatableResourceClaimStatuses ?? []).length > 0) {
    errors.push(forbidden(specPath, 'pods with node allocatable resource claims cannot be resized'));
  }
  const order = orderErrors(spec, oldSpec);
  errors.push(...order);
  if (order.length > 0) return errors;
  for (const field of ['initContainers', 'containers'] as const) validateNothingRemoved(spec, oldSpec, field, errors);
  const munged = mungedSpec(spec, oldSpec, podLevel, errors);
  if (errors.length === 0 && !sameSpec(munged, oldSpec)) errors.push(forbidden(specPath, onlyCpuAndMemory));
  return errors;
}

/** A kubelet that reports no resources of running containers can't change them. */
function isResizeSupported(pod: Pod): boolean {
  const running = (pod.status?.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

/** Checks the Pod-level amounts; returns them without the changes that are allowed. */
function validatePodLevel(spec: PodSpec, old: PodSpec, errors: FieldError[]): ResourceRequirements | undefined {
  const isSet = ({ resources }: PodSpec): boolean =>
    Object.keys(resources?.requests ?? {}).length + Object.keys(resources?.limits ?? {}).length > 0;
  if (!isSet(spec) && !isSet(old)) return spec.resources;
  const at = specPath.child('resources');
  if (old.resources !== undefined && spec.resources === undefined) {
    errors.push(forbidden(at, 'pod-level resources cannot be removed'));
    return undefined;
  }
  if (old.resources !== undefined) {
    if (isAnyRemoved(spec.resources?.requests, old.resources.requests)) {
      errors.push(forbidden(at.child('requests'), 'pod-level resource requests cannot be removed'));
    }
    if (isAnyRemoved(spec.resources?.limits, old.resources.limits)) {
      errors.push(forbidden(at.child('limits'), 'pod-level resource limits cannot be removed'));
    }
  }
  const munged = withOldCpuAndMemory(spec.resources, old.resources);
  const nothing = old.resources === undefined && munged.requests === undefined && munged.limits === undefined;
  const result = nothing && (munged.claims ?? []).length === 0 ? undefined : munged;
  if (!semanticEqual(result, old.resources, requirementsSchema)) {
    errors.push(forbidden(specPath, 'only cpu and memory resources are mutable at pod-level'));
  }
  return result;
}

function orderErrors(spec: PodSpec, old: PodSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ['containers', 'initContainers'] as const) {
    const containers = spec[field] ?? [];
    const before = old[field] ?? [];
    const at = specPath.child(field);
    if (containers.length !== before.length) {
      errors.push(forbidden(at, `${field} may not be added or removed on resize`));
      continue;
    }
    for (const [index, { name }] of before.entries()) {
      if (containers[index]?.name === name) continue;
      errors.push(forbidden(at.index(index).child('name'), `${field} may not be renamed or reordered on resize`));
    }
  }
  return errors;
}

function validateNothingRemoved(spec: PodSpec, old: PodSpec, field: ContainerList, errors: FieldError[]): void {
  for (const [index, { resources }] of (old[field] ?? []).entries()) {
    const now = spec[field]?.[index]?.resources;
    const at = specPath.child(field).index(index).child('resources');
    if (isAnyRemoved(now?.requests, resources?.requests)) {
      errors.push(forbidden(at.child('requests'), 'resource requests cannot be removed'));
    }
    if (isAnyRemoved(now?.limits, resources?.limits)) {
      errors.push(forbidden(at.child('limits'), 'resource limits cannot be removed'));
    }
  }
}

function isAnyRemoved(list: ResourceRequirements['limits'], old: ResourceRequirements['limits']): boolean {
  return Object.keys(old ?? {}).some((name) => own(list, name) === undefined);
}

/** The spec with cpu and memory as they were; reports containers that differ in anything else. */
function mungedSpec(
  spec: PodSpec,
  old: PodSpec,
  podLevel: ResourceRequirements | undefined,
  errors: FieldError[],
): PodSpec {
  const containers = (spec.containers ?? []).map((container, index) => {
    const before = old.containers[index] ?? container;
    const munged = { ...container, resources: withOldCpuAndMemory(container.resources, before.resources, true) };
    if (!semanticEqual(munged, before, containerSchema)) errors.push(forbidden(specPath, onlyCpuAndMemory));
    return munged;
  });
  const initContainers = spec.initContainers?.map((container, index) => {
    const before = old.initContainers?.[index] ?? container;
    const changed = !semanticEqual(container, before, containerSchema);
    const munged = { ...container, resources: withOldCpuAndMemory(container.resources, before.resources, true) };
    const at = specPath.child('initContainers').index(index);
    if (!semanticEqual(munged, before, containerSchema)) {
      errors.push(forbidden(at, 'only cpu and memory resources for init or sidecar containers are mutable'));
    }
    if (changed && !isRestartableInit(container)) {
      const text = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
      for (const { restartPolicy } of container.resizePolicy ?? []) {
        if (restartPolicy === 'RestartContainer') errors.push(forbidden(at, text));
      }
    }
    return munged;
  });
  const { resources: _, ...rest } = spec;
  return {
    ...rest,
    containers,
    ...(initContainers === undefined ? {} : { initContainers }),
    ...(podLevel === undefined ? {} : { resources: podLevel }),
  };
}

function withOldCpuAndMemory(
  now: ResourceRequirements | undefined,
  old: ResourceRequirements | undefined,
  dropClaims = false,
): ResourceRequirements {
  const requests = listWithOld(now?.requests, old?.requests);
  const limits = listWithOld(now?.limits, old?.limits);
  return {
    ...(requests === undefined ? {} : { requests }),
    ...(limits === undefined ? {} : { limits }),
    ...(now?.claims === undefined || dropClaims ? {} : { claims: now.claims }),
  };
}

function listWithOld(
  now: ResourceRequirements['limits'],
  old: ResourceRequirements['limits'],
): Readonly<Record<string, string>> | undefined {
  const { cpu: _cpu, memory: _memory, ...rest } = now ?? {};
  const { cpu, memory } = old ?? {};
  const list = { ...rest, ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
  return Object.keys(list).length === 0 ? undefined : list;
}
