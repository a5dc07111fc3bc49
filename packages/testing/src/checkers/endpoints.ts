// Endpoints and EndpointSlices lead to the pods that are ready, and to no other (spec/infrastructure.md §9, §10).

import type { Pod, Service } from '@homeostat/api/types/core-v1';
import { isPodReady, isPodTerminal } from '@homeostat/api';
import { endpoints, endpointSlices, pods, services } from '@homeostat/client/resources';
import type { StoreState } from '../store-state.ts';
import { nameOf } from './checker.ts';

/** Services whose endpoints are not the ready pods they select. */
export function checkEndpoints(state: StoreState): readonly string[] {
  return state.list(services).flatMap((service) => {
    if (service.spec?.selector === undefined || service.spec.type === 'ExternalName') return [];
    if (service.metadata?.deletionTimestamp !== undefined) return [];
    const wanted = readyPods(state, service);
    const problems: string[] = [];
    const compare = (what: string, found: readonly string[]): void => {
      const [left, right] = [found.toSorted().join(), wanted.toSorted().join()];
      if (left !== right)
        problems.push(`${what} of Service ${nameOf(service)} lead to [${left}], ready are [${right}]`);
    };
    compare('Endpoints', addressedByEndpoints(state, service));
    compare('EndpointSlices', addressedBySlices(state, service));
    return problems;
  });
}

function readyPods(state: StoreState, service: Service): readonly string[] {
  const selector = Object.entries(service.spec?.selector ?? {});
  return state
    .list(pods)
    .filter(
      (pod) =>
        pod.metadata?.namespace === service.metadata?.namespace &&
        selector.every(([key, value]) => pod.metadata?.labels?.[key] === value) &&
        leadsSomewhere(pod, service),
    )
    .map((pod) => pod.metadata?.name ?? '');
}

function leadsSomewhere(pod: Pod, service: Service): boolean {
  if (isPodTerminal(pod) || (pod.status?.podIP ?? '') === '') return false;
  if (service.spec?.publishNotReadyAddresses === true) return true;
  return isPodReady(pod) && pod.metadata?.deletionTimestamp === undefined;
}

function addressedByEndpoints(state: StoreState, service: Service): readonly string[] {
  const object = state
    .list(endpoints)
    .find(
      ({ metadata }) =>
        metadata?.namespace === service.metadata?.namespace && metadata?.name === service.metadata?.name,
    );
  return unique(
    (object?.subsets ?? []).flatMap((subset) => subset.addresses ?? []).map((a) => a.targetRef?.name ?? ''),
  );
}

function addressedBySlices(state: StoreState, service: Service): readonly string[] {
  const slices = state
    .list(endpointSlices)
    .filter(
      ({ metadata }) =>
        metadata?.namespace === service.metadata?.namespace &&
        metadata?.labels?.['kubernetes.io/service-name'] === service.metadata?.name &&
        metadata?.deletionTimestamp === undefined,
    );
  return unique(
    slices
      .flatMap((slice) => slice.endpoints ?? [])
      .filter((endpoint) => endpoint.conditions?.ready === true)
      .map((endpoint) => endpoint.targetRef?.name ?? ''),
  );
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
