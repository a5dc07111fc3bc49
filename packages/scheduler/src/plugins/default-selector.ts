// The pods a pod shares its work with, by the Services and the controller it belongs to (spec/scheduler.md §11.10).

import type { Pod } from '@homeostat/api/types/core-v1';
import { replicaSets, replicationControllers, services, statefulSets } from '@homeostat/client/resources';
import { LabelSelector, selectorFromSet } from '@homeostat/machinery';
import { controllerOf, type InformerFactory } from '@homeostat/runtime';
import { parseSelector } from '../framework/affinity-term.ts';

/** Makes the function that finds the selector of a pod's siblings; an empty one when there is none. */
export function createDefaultSelector(informers: InformerFactory): (pod: Pod) => LabelSelector {
  const serviceLister = informers.lister(services);
  const controllerLister = informers.lister(replicationControllers);
  const replicaSetLister = informers.lister(replicaSets);
  const statefulSetLister = informers.lister(statefulSets);

  const selectorOfOwner = (pod: Pod): LabelSelector => {
    const owner = controllerOf(pod);
    const namespace = pod.metadata?.namespace;
    switch (owner === undefined ? '' : `${owner.apiVersion}/${owner.kind}`) {
      case 'v1/ReplicationController':
        return selectorFromSet(controllerLister.get(namespace, owner?.name ?? '')?.spec?.selector);
      case 'apps/v1/ReplicaSet':
        return parseOwn(replicaSetLister.get(namespace, owner?.name ?? ''));
      case 'apps/v1/StatefulSet':
        return parseOwn(statefulSetLister.get(namespace, owner?.name ?? ''));
      default:
        return LabelSelector.everything;
    }
  };

  return (pod) => {
    const labels = pod.metadata?.labels ?? {};
    const selected: Record<string, string> = {};
    for (const { spec } of serviceLister.list(pod.metadata?.namespace)) {
      const selector = spec?.selector;
      if (selector === undefined) continue;
      const pairs = Object.entries(selector);
      if (pairs.every(([key, value]) => labels[key] === value)) Object.assign(selected, selector);
    }
    const requirements = [...selectorFromSet(selected).requirements, ...selectorOfOwner(pod).requirements];
    return requirements.length === 0 ? LabelSelector.everything : LabelSelector.of(requirements);
  };
}

interface Owner {
  readonly spec?: { readonly selector?: Parameters<typeof parseSelector>[0] };
}

const parsed = new WeakMap<Owner, LabelSelector>();

function parseOwn(owner: Owner | undefined): LabelSelector {
  if (owner === undefined) return LabelSelector.everything;
  let selector = parsed.get(owner);
  if (selector === undefined) parsed.set(owner, (selector = parseSelector(owner.spec?.selector)));
  return selector;
}
