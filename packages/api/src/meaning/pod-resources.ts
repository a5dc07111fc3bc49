// What a Pod asks for and may use: sums over its containers, with sidecars and init containers counted the way the
// scheduler and the kubelet do (init containers run one after the other, beside the sidecars started before them).
// Follows `k8s.io/component-helpers/resource`. Quantities stay texts; who computes a lot keeps numbers of his own.

import { addQuantities, compareQuantity } from '@homeostat/machinery';
import type { Container, Pod, PodSpec, ResourceRequirements } from '@homeostat/api/types/core-v1';

export type ResourceList = Readonly<Record<string, string>>;

/** A Pod, or enough of one. */
export interface PodWithSpec {
  readonly spec?: PodSpec;
  readonly status?: Pod['status'];
}

export interface PodResourceOptions {
  /** Use what the node has allocated and actuated while a resize is under way. Default false. */
  readonly useStatus?: boolean;
  /** Leave the overhead of the runtime class out. Default false. */
  readonly excludeOverhead?: boolean;
  /** Stands for requests that a container does not state (scoring). Default none. */
  readonly nonMissingRequests?: ResourceList;
}

type List = Record<string, string>;

/** What the Pod requests: the Pod-level amounts where set, else the containers' sum, plus overhead. */
export function podRequests(pod: PodWithSpec, options: PodResourceOptions = {}): ResourceList {
  const total: List = { ...aggregateContainerRequests(pod, options) };
  const own = pod.spec?.resources?.requests;
  const actual = pod.status?.resources;
  for (const [name, quantity] of Object.entries(own ?? {})) {
    if (!isPodLevelResource(name)) continue;
    const effective =
      options.useStatus === true && actual !== undefined
        ? effectiveRequests(pod, { spec: own, actuated: actual.requests, allocated: pod.status?.allocatedResources })[
            name
          ]
        : quantity;
    total[name] = effective ?? '0';
  }
  if (options.excludeOverhead !== true) addTo(total, pod.spec?.overhead);
  return total;
}

/** What the Pod may use at most, for the resources that are limited. */
export function podLimits(pod: PodWithSpec, options: PodResourceOptions = {}): ResourceList {
  const total: List = { ...aggregateContainerLimits(pod, options) };
  const own = pod.spec?.resources?.limits;
  const actual = pod.status?.resources;
  for (const [name, quantity] of Object.entries(own ?? {})) {
    if (!isPodLevelResource(name)) continue;
    const effective =
      options.useStatus === true && actual !== undefined
        ? effectiveLimits(pod, { spec: own, actuated: actual.limits })[name]
        : quantity;
    total[name] = effective ?? '0';
  }
  if (options.excludeOverhead === true) return total;
  for (const [name, quantity] of Object.entries(pod.spec?.overhead ?? {})) {
    const limit = amountOf(total, name);
    if (limit !== undefined && compareQuantity(limit, '0') !== 0)
      total[name] = addQuantities(limit, quantity).toString();
  }
  return total;
}

/** The containers' requests alone. */
export function aggregateContainerRequests(pod: PodWithSpec, options: PodResourceOptions = {}): ResourceList {
  return aggregate(pod, (container) => {
    const spec = container.resources?.requests;
    const status = options.useStatus === true ? statusOf(pod, container) : undefined;
    const requests =
      status?.resources === undefined
        ? (spec ?? {})
        : effectiveRequests(pod, { spec, actuated: status.resources.requests, allocated: status.allocatedResources });
    return options.nonMissingRequests === undefined ? requests : { ...options.nonMissingRequests, ...requests };
  });
}

/** The containers' limits alone. */
export function aggregateContainerLimits(pod: PodWithSpec, options: PodResourceOptions = {}): ResourceList {
  return aggregate(pod, (container) => {
    const spec = container.resources?.limits;
    const status = options.useStatus === true ? statusOf(pod, container) : undefined;
    if (status?.resources === undefined) return spec ?? {};
    return effectiveLimits(pod, { spec, actuated: status.resources.limits });
  });
}

/** Resources that can be set for the Pod as a whole. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

function aggregate(pod: PodWithSpec, listOf: (container: Container) => ResourceList): ResourceList {
  const total: List = {};
  for (const container of pod.spec?.containers ?? []) addTo(total, listOf(container));
  const sidecars: List = {};
  const init: List = {};
  for (const container of pod.spec?.initContainers ?? []) {
    const list = listOf(container);
    if (container.restartPolicy === 'Always') {
      addTo(total, list);
      addTo(sidecars, list);
      raiseTo(init, sidecars);
    } else {
      const beside: List = { ...list };
      addTo(beside, sidecars);
      raiseTo(init, beside);
    }
  }
  raiseTo(total, init);
  return total;
}

function addTo(total: List, list: ResourceList | undefined): void {
  for (const [name, quantity] of Object.entries(list ?? {})) {
    const known = amountOf(total, name);
    total[name] = known === undefined ? quantity : addQuantities(known, quantity).toString();
  }
}

function raiseTo(total: List, list: ResourceList | undefined): void {
  for (const [name, quantity] of Object.entries(list ?? {})) {
    const known = amountOf(total, name);
    if (known === undefined || compareQuantity(quantity, known) > 0) total[name] = quantity;
  }
}

interface ResourceState {
  readonly spec: ResourceRequirements['requests'];
  readonly actuated: ResourceList | undefined;
  readonly allocated?: ResourceList | undefined;
}

/** While a resize is pending the larger amount counts, so that nothing else takes the room. */
function effectiveRequests(pod: PodWithSpec, { spec, actuated, allocated }: ResourceState): ResourceList {
  const total: List = {};
  if (!isResizeInfeasible(pod)) raiseTo(total, spec);
  raiseTo(total, actuated);
  raiseTo(total, allocated);
  return total;
}

function effectiveLimits(pod: PodWithSpec, { spec, actuated }: ResourceState): ResourceList {
  if (isResizeInfeasible(pod)) return actuated ?? {};
  const total: List = {};
  raiseTo(total, spec);
  raiseTo(total, actuated);
  return total;
}

function isResizeInfeasible(pod: PodWithSpec): boolean {
  return pod.status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';
}

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

function statusOf(pod: PodWithSpec, container: Container): ContainerStatus | undefined {
  const named = (status: ContainerStatus): boolean => status.name === container.name;
  const isInit = pod.spec?.initContainers?.includes(container) === true;
  if (!isInit) return pod.status?.containerStatuses?.find(named);
  return container.restartPolicy === 'Always' ? pod.status?.initContainerStatuses?.find(named) : undefined;
}

/** Names come from Pods that nobody has validated yet. */
function amountOf(list: ResourceList, name: string): string | undefined {
  return Object.hasOwn(list, name) ? list[name] : undefined;
}
