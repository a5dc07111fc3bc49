// What quotas count about Pods: how many there are, and what those that have not ended ask for.

import { compareBytewise, type KubeObject, parseTime } from '@homeostat/machinery';
import type { Pod, PodAffinityTerm, ResourceRequirements } from '@homeostat/api/types/core-v1';
import { isExtendedResource, isNativeResource } from '../../kinds/rules/resource-names.ts';
import { isPodTerminal } from '../pod-phase.ts';
import { computeQosClass } from '../pod-qos.ts';
import { isPodLevelResource, podLimits, podRequests, type ResourceList } from '../pod-resources.ts';
import { matchesExpression, objectCountName, type QuotaEvaluator } from './quota-evaluator.ts';
import { addLists } from './resource-list.ts';

const resource = { group: '', resource: 'pods' };
const countName = objectCountName(resource);
const computeNames = ['cpu', 'memory', 'ephemeral-storage'];
const devicePrefix = 'deviceclass.resource.kubernetes.io/';

const fixedNames: ReadonlySet<string> = new Set([
  countName,
  'pods',
  ...computeNames.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);

// A quota on one of these asks every container to state an amount. A mistake of old that no other name repeats.
const mustBeStated: ReadonlySet<string> = new Set(
  ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);

export const podQuota: QuotaEvaluator = {
  resource,
  matchingNames: (names) => [...new Set(names)].filter((name) => fixedNames.has(name) || isPrefixedName(name)),
  usage: (object, nowMs) => {
    const pod = object as Pod;
    const count = { [countName]: '1' };
    if (hasEnded(pod, nowMs)) return count;
    const options = { useStatus: true };
    return addLists(count, computeUsage(podRequests(pod, options), podLimits(pod, options)));
  },
  matchesScope: ({ scopeName, ...expression }, object) => {
    const pod = object as Pod;
    switch (scopeName) {
      case 'Terminating':
        return hasDeadline(pod);
      case 'NotTerminating':
        return !hasDeadline(pod);
      case 'BestEffort':
        return isBestEffort(pod);
      case 'NotBestEffort':
        return !isBestEffort(pod);
      case 'PriorityClass': {
        const name = pod.spec?.priorityClassName ?? '';
        return matchesExpression({ scopeName, ...expression }, name === '' ? [] : [name]);
      }
      case 'CrossNamespacePodAffinity':
        return reachesOtherNamespaces(pod);
      default:
        return false;
    }
  },
  missing,
};

/** Whether an update moved the Pod from one of the scopes Terminating and NotTerminating to the other. */
export function changesScope(object: KubeObject, oldObject: KubeObject): boolean {
  return hasDeadline(object as Pod) !== hasDeadline(oldObject as Pod);
}

function isPrefixedName(name: string): boolean {
  if (name.startsWith('hugepages-') || name.startsWith('requests.hugepages-')) return true;
  return name.startsWith('requests.') && (!isNativeResource(name) || name.startsWith(`requests.${devicePrefix}`));
}

function computeUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage: Record<string, string> = { pods: '1' };
  for (const [name, quantity] of Object.entries(requests)) {
    if (computeNames.includes(name) || name.startsWith('hugepages-')) {
      usage[name] = quantity;
      usage[`requests.${name}`] = quantity;
    } else if (isExtendedResource(name) || name.startsWith(devicePrefix)) {
      usage[`requests.${name}`] = quantity;
    }
  }
  for (const [name, quantity] of Object.entries(limits)) {
    if (computeNames.includes(name)) usage[`limits.${name}`] = quantity;
  }
  return usage;
}

/** Pods that are over, or whose node does not confirm their deletion, shall not stand in the way of new ones. */
function hasEnded(pod: Pod, nowMs: number): boolean {
  if (isPodTerminal(pod)) return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata ?? {};
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > (parseTime(deletionTimestamp) ?? 0) + deletionGracePeriodSeconds * 1000;
}

function hasDeadline({ spec }: Pod): boolean {
  return (spec?.activeDeadlineSeconds ?? -1) >= 0;
}

function isBestEffort({ spec, status }: Pod): boolean {
  return (status?.qosClass ?? (spec === undefined ? 'BestEffort' : computeQosClass(spec))) === 'BestEffort';
}

function reachesOtherNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const terms: readonly PodAffinityTerm[] = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ namespaces = [], namespaceSelector }) => namespaces.length > 0 || namespaceSelector !== undefined,
  );
}

function missing(names: readonly string[], object: KubeObject): string {
  const { spec } = object as Pod;
  if (isPodLevelSet(spec?.resources)) return '';
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const lines: string[] = [];
  for (const name of [...new Set(names)].filter((each) => mustBeStated.has(each)).sort(compareBytewise)) {
    const silent = containers
      .filter(({ resources }) => computeUsage(resources?.requests ?? {}, resources?.limits ?? {})[name] === undefined)
      .map((container) => container.name);
    if (silent.length > 0) lines.push(`${name} for: ${[...new Set(silent)].sort(compareBytewise).join(',')}`);
  }
  return lines.join('; ');
}

function isPodLevelSet(resources: ResourceRequirements | undefined): boolean {
  return [resources?.requests, resources?.limits].some((list) => Object.keys(list ?? {}).some(isPodLevelResource));
}
