// Fields of features whose gates are off by default in 1.36: they are dropped silently at create and update, unless the
// stored object has them already (then somebody turned the gate off later, and the data is kept).

import type { Mutable } from '@homeostat/machinery';
import type { Container, ContainerStatus, PodSpec, PodStatus } from '@homeostat/api/types/core-v1';
import { allContainers } from './visit.ts';

export function dropDisabledSpecFields(spec: Mutable<PodSpec>, old: PodSpec | undefined): void {
  const containers = allContainers(spec as PodSpec) as readonly Mutable<Container>[];
  if (!projectionInUse(old, 'clusterTrustBundle')) dropProjections(spec, 'clusterTrustBundle');
  if (!projectionInUse(old, 'podCertificate')) dropProjections(spec, 'podCertificate');
  if (old?.schedulingGroup === undefined) delete spec.schedulingGroup;
  const stopSignals =
    old !== undefined && allContainers(old).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined);
  if (stopSignals) return;
  for (const container of containers) {
    if (container.lifecycle?.stopSignal === undefined) continue;
    delete container.lifecycle.stopSignal;
    if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
  }
}

export function dropDisabledStatusFields(status: Mutable<PodStatus> | undefined, old: PodStatus | undefined): void {
  if (status === undefined) return;
  if ((old?.nodeAllocatableResourceClaimStatuses ?? []).length === 0)
    delete status.nodeAllocatableResourceClaimStatuses;
  const used =
    old !== undefined && allStatuses(old).some(({ volumeMounts }) => volumeMounts?.some((mount) => mount.volumeStatus));
  if (used) return;
  for (const { volumeMounts } of allStatuses(status as PodStatus) as readonly Mutable<ContainerStatus>[]) {
    for (const mount of volumeMounts ?? []) delete mount.volumeStatus;
  }
}

type Projection = 'clusterTrustBundle' | 'podCertificate';

function projectionInUse(spec: PodSpec | undefined, field: Projection): boolean {
  return (spec?.volumes ?? []).some(({ projected }) =>
    (projected?.sources ?? []).some((source) => source[field] !== undefined),
  );
}

function dropProjections(spec: Mutable<PodSpec>, field: Projection): void {
  for (const { projected } of spec.volumes ?? []) for (const source of projected?.sources ?? []) delete source[field];
}

function allStatuses(status: PodStatus): readonly ContainerStatus[] {
  return [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []),
    ...(status.ephemeralContainerStatuses ?? []),
  ];
}
