// What a LimitRange gives containers that state no amounts of their own.

import type { ResourceList } from '@homeostat/api';
import type { Container, LimitRange, Pod } from '@homeostat/api/types/core-v1';
import { compareBytewise, type Mutable } from '@homeostat/machinery';

const annotation = 'kubernetes.io/limit-ranger';

export function applyLimitDefaults({ spec }: LimitRange, pod: Mutable<Pod>): void {
  const items = (spec?.limits ?? []).filter(({ type }) => type === 'Container');
  const requests: ResourceList = Object.assign({}, ...items.map(({ defaultRequest }) => defaultRequest));
  const limits: ResourceList = Object.assign({}, ...items.map((item) => item.default));
  const given = [
    ...(pod.spec?.containers ?? []).flatMap((each) => fill(each, `container ${each.name}`, requests, limits)),
    ...(pod.spec?.initContainers ?? []).flatMap((each) => fill(each, `init container ${each.name}`, requests, limits)),
  ];
  if (given.length === 0) return;
  pod.metadata = {
    ...pod.metadata,
    annotations: { ...pod.metadata?.annotations, [annotation]: `LimitRanger plugin set: ${given.join('; ')}` },
  };
}

function fill(
  container: Mutable<Container>,
  subject: string,
  requests: ResourceList,
  limits: ResourceList,
): readonly string[] {
  const absent = (wanted: ResourceList, present: ResourceList | undefined): readonly string[] =>
    Object.keys(wanted)
      .filter((name) => present?.[name] === undefined)
      .sort(compareBytewise);
  const { resources = {} } = container;
  const newRequests = absent(requests, resources.requests);
  const newLimits = absent(limits, resources.limits);
  if (newRequests.length === 0 && newLimits.length === 0) return [];
  container.resources = {
    ...resources,
    limits: { ...limits, ...resources.limits },
    requests: { ...requests, ...resources.requests },
  };
  return [
    ...(newRequests.length > 0 ? [`${newRequests.join(', ')} request for ${subject}`] : []),
    ...(newLimits.length > 0 ? [`${newLimits.join(', ')} limit for ${subject}`] : []),
  ];
}
