// What a pod asks for, in numbers (spec/scheduler.md §10.1, §10.2): the same rules as `podRequests` of @homeostat/api, which keeps
// quantities as texts and is too slow to ask once for every pod event. A property test keeps the two equal.

import type { Container, Pod } from '@homeostat/api/types/core-v1';
import { isPodLevelResource } from '@homeostat/api';
import { type AmountMap, amountOf, type Amounts, toAmounts } from './amounts.ts';

type ResourceTexts = Readonly<Record<string, string>> | undefined;

export interface PodAmountOptions {
  /** Count what the node has allocated and actuated while a resize is under way. */
  readonly useStatus?: boolean;
  /** Leave pod-level requests out. */
  readonly skipPodLevel?: boolean;
  /** Stands for what a container does not state. */
  readonly missing?: ReadonlyMap<string, number>;
}

/** Scores assume this much of a container that asks for nothing: 100m of cpu, 200 MiB of memory. */
export const assumedRequests: ReadonlyMap<string, number> = new Map([
  ['cpu', 100],
  ['memory', 200 * 1024 * 1024],
]);

/** The pod's requests, by resource. The map is the caller's. */
export function sumPodRequests(pod: Pod, options: PodAmountOptions = {}): AmountMap {
  const total = sumContainers(pod, options);
  if (options.skipPodLevel !== true) replaceByPodLevel(total, pod, options.useStatus === true);
  add(total, pod.spec?.overhead);
  return total;
}

export function podAmounts(pod: Pod, options: PodAmountOptions = {}): Amounts {
  return toAmounts(sumPodRequests(pod, options));
}

/** How much a pod takes from its node. */
export interface PodUsage {
  readonly requested: Amounts;
  /** With assumed amounts where nothing is requested: for scores. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
}

export function podUsage(pod: Pod): PodUsage {
  const stated = sumPodRequests(pod, { useStatus: true });
  const requested = toAmounts(stated);
  const missing = assumedFor(pod, stated);
  const nonZero = missing.size === 0 ? requested : podAmounts(pod, { useStatus: true, missing });
  return { requested, nonZeroMilliCpu: nonZero.milliCpu, nonZeroMemory: nonZero.memory };
}

// With pod-level requests, an amount is assumed only for what neither the pod nor its containers ask for.
function assumedFor(pod: Pod, stated: AmountMap): ReadonlyMap<string, number> {
  const podLevel = pod.spec?.resources?.requests;
  if (podLevel === undefined || !Object.keys(podLevel).some(isPodLevelResource)) return assumedRequests;
  return new Map([...assumedRequests].filter(([name]) => !stated.has(name)));
}

function replaceByPodLevel(total: AmountMap, pod: Pod, useStatus: boolean): void {
  const own = pod.spec?.resources?.requests;
  if (own === undefined) return;
  const actual = useStatus ? pod.status?.resources : undefined;
  const effective =
    actual === undefined
      ? undefined
      : effectiveRequests(pod, { spec: own, actuated: actual.requests, allocated: pod.status?.allocatedResources });
  for (const [name, text] of Object.entries(own)) {
    if (!isPodLevelResource(name)) continue;
    total.set(name, effective === undefined ? amountOf(name, text) : (effective.get(name) ?? 0));
  }
}

function sumContainers(pod: Pod, options: PodAmountOptions): AmountMap {
  const total: AmountMap = new Map();
  for (const container of pod.spec?.containers ?? []) addContainer(total, pod, { container, options, isInit: false });
  const initContainers = pod.spec?.initContainers;
  if (initContainers === undefined || initContainers.length === 0) return total;
  // Sidecars stay; ordinary init containers run one at a time, beside the sidecars started before them.
  const sidecars: AmountMap = new Map();
  const highest: AmountMap = new Map();
  for (const container of initContainers) {
    const restartable = container.restartPolicy === 'Always';
    const level: AmountMap = restartable ? sidecars : new Map(sidecars);
    addContainer(level, pod, { container, options, isInit: true });
    if (restartable) addContainer(total, pod, { container, options, isInit: true });
    raise(highest, level);
  }
  raise(total, highest);
  return total;
}

interface ContainerTurn {
  readonly container: Container;
  readonly options: PodAmountOptions;
  readonly isInit: boolean;
}

function addContainer(total: AmountMap, pod: Pod, { container, options, isInit }: ContainerTurn): void {
  const spec = container.resources?.requests;
  const status = options.useStatus === true ? statusOf(pod, container, isInit) : undefined;
  if (status?.resources === undefined) {
    add(total, spec);
    addMissing(total, options.missing, (name) => spec !== undefined && Object.hasOwn(spec, name));
    return;
  }
  const effective = effectiveRequests(pod, {
    spec,
    actuated: status.resources.requests,
    allocated: status.allocatedResources,
  });
  for (const [name, amount] of effective) total.set(name, (total.get(name) ?? 0) + amount);
  addMissing(total, options.missing, (name) => effective.has(name));
}

function addMissing(
  total: AmountMap,
  missing: ReadonlyMap<string, number> | undefined,
  isStated: (name: string) => boolean,
): void {
  if (missing === undefined) return;
  for (const [name, amount] of missing) if (!isStated(name)) total.set(name, (total.get(name) ?? 0) + amount);
}

interface ResizeState {
  readonly spec: ResourceTexts;
  readonly actuated: ResourceTexts;
  readonly allocated: ResourceTexts;
}

/** While a resize is under way the larger amount counts; one that can't be done does not count at all. */
function effectiveRequests(pod: Pod, { spec, actuated, allocated }: ResizeState): AmountMap {
  const total: AmountMap = new Map();
  const infeasible = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';
  for (const texts of infeasible ? [actuated, allocated] : [spec, actuated, allocated]) {
    for (const [name, text] of Object.entries(texts ?? {})) {
      const amount = amountOf(name, text);
      if (amount > (total.get(name) ?? -1)) total.set(name, amount);
    }
  }
  return total;
}

function statusOf(pod: Pod, container: Container, isInit: boolean) {
  if (isInit && container.restartPolicy !== 'Always') return undefined;
  const statuses = isInit ? pod.status?.initContainerStatuses : pod.status?.containerStatuses;
  return statuses?.find(({ name }) => name === container.name);
}

function add(total: AmountMap, texts: ResourceTexts): void {
  if (texts === undefined) return;
  for (const [name, text] of Object.entries(texts)) total.set(name, (total.get(name) ?? 0) + amountOf(name, text));
}

function raise(total: AmountMap, level: ReadonlyMap<string, number>): void {
  for (const [name, amount] of level) {
    const known = total.get(name);
    if (known === undefined || amount > known) total.set(name, amount);
  }
}
