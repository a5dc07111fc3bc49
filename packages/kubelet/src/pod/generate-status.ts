// Status generation: the one place where a Pod's status comes from (spec/node.md §4). Pure; the same facts give the same status.

import { computeQosClass, podLimits, podRequests } from '@homeostat/api';
import type { Pod, PodCondition, PodStatus, ResourceRequirements } from '@homeostat/api/types/core-v1';
import { formatTime } from '@homeostat/machinery';
import { containerStatuses } from './container-statuses.ts';
import { type Finding, podFindings, restartingType } from './pod-conditions.ts';
import { isKubeletCondition, isTerminalPhase, newestOf, type PodFacts, specOf } from './pod-facts.ts';
import { podPhase } from './pod-phase.ts';
import { withReadiness } from './readiness.ts';

/** The status that follows from the facts. */
export function generateStatus(facts: PodFacts): PodStatus {
  const { pod, previous, view, verdict } = facts;
  const spec = specOf(pod);
  const init = containerStatuses('init', facts);
  const regular = containerStatuses('regular', facts);
  const ephemeral = containerStatuses('ephemeral', facts);
  // The phase looks at `started` of sidecars, so readiness comes first.
  const withContainers = withReadiness(
    {
      containerStatuses: regular,
      ...((spec.initContainers ?? []).length === 0 ? {} : { initContainerStatuses: init }),
      ...((spec.ephemeralContainers ?? []).length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
    },
    pod,
    facts.probes,
    facts.runtimeName,
  );
  const computed = podPhase({
    pod,
    init: withContainers.initContainerStatuses ?? [],
    regular: withContainers.containerStatuses ?? [],
    stopped: facts.stopped,
    anyStarted: spec.containers.some(({ name }) => newestOf(view, name) !== undefined),
  });
  const phase = verdict === undefined ? keepTerminal(computed, previous.phase, pod.status?.phase) : 'Failed';
  const told = verdict ?? (phase === previous.phase ? previous : {});
  const draft: PodStatus = {
    ...carriedFields(pod),
    phase,
    ...(told.reason === undefined || told.reason === '' ? {} : { reason: told.reason }),
    ...(told.message === undefined || told.message === '' ? {} : { message: told.message }),
    ...addressesOf(facts),
    ...withContainers,
    ...podResourcesOf(pod, phase),
    qosClass: pod.status?.qosClass ?? computeQosClass(spec),
    startTime: previous.startTime ?? formatTime(facts.nowMs),
    conditions: pod.status?.conditions?.filter((condition) => !isKubeletCondition(condition)) ?? [],
  };
  return stampConditions(draft, podFindings(pod, draft, facts), facts);
}

/** Adds conditions with their times: a transition time changes with the status alone. */
export function stampConditions(
  status: PodStatus,
  findings: readonly Finding[],
  { pod, previous, nowMs }: Pick<PodFacts, 'pod' | 'previous' | 'nowMs'>,
): PodStatus {
  const generation = Number(pod.metadata?.generation ?? 0);
  const observed = Math.max(generation, previous.observedGeneration ?? 0);
  let now: string | undefined;
  const stamped = findings.map((finding): PodCondition => {
    const before = previous.conditions?.find((condition) => condition.type === finding.type);
    const since = before?.status === finding.status ? before.lastTransitionTime : undefined;
    return {
      type: finding.type,
      ...(generation === 0 || finding.type === restartingType ? {} : { observedGeneration: generation }),
      status: finding.status,
      lastProbeTime: null,
      lastTransitionTime: since ?? (now ??= formatTime(nowMs)),
      ...(finding.reason === undefined ? {} : { reason: finding.reason }),
      ...(finding.message === undefined ? {} : { message: finding.message }),
    };
  });
  return {
    ...status,
    ...(observed === 0 ? {} : { observedGeneration: observed }),
    conditions: [...(status.conditions ?? []), ...stamped],
  };
}

/** A terminal phase, once known anywhere, stays. */
function keepTerminal(
  computed: PodStatus['phase'],
  previous: PodStatus['phase'],
  stored: PodStatus['phase'],
): PodStatus['phase'] {
  if (isTerminalPhase(computed)) return computed;
  if (isTerminalPhase(previous)) return previous;
  return isTerminalPhase(stored) ? stored : computed;
}

/** What others write into the status and the kubelet only carries along. */
function carriedFields({ status = {} }: Pod): PodStatus {
  const { nominatedNodeName, resize, resourceClaimStatuses, extendedResourceClaimStatus } = status;
  return {
    ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }),
    ...(resize === undefined ? {} : { resize }),
    ...(resourceClaimStatuses === undefined ? {} : { resourceClaimStatuses }),
    ...(extendedResourceClaimStatus === undefined ? {} : { extendedResourceClaimStatus }),
  };
}

function addressesOf({ pod, view, previous, hostIPs }: PodFacts): PodStatus {
  const [hostIP] = hostIPs;
  const host: PodStatus = hostIP === undefined ? {} : { hostIP, hostIPs: hostIPs.map((ip) => ({ ip })) };
  const ips = podIpsOf(pod, view, previous, hostIPs);
  const [podIP] = ips;
  return podIP === undefined ? host : { ...host, podIP, podIPs: ips.map((ip) => ({ ip })) };
}

function podIpsOf(
  pod: Pod,
  { sandbox }: PodFacts['view'],
  previous: PodStatus,
  hostIPs: readonly string[],
): readonly string[] {
  if (pod.spec?.hostNetwork === true) return hostIPs;
  if (sandbox !== undefined && sandbox.ips.length > 0) return sandbox.ips;
  // A Pod that is over keeps the addresses it had.
  const over = isTerminalPhase(previous.phase) || pod.metadata?.deletionTimestamp !== undefined;
  return over ? (previous.podIPs ?? []).map(({ ip }) => ip) : [];
}

interface PodResources {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

/** A spec's sums never change, and a Pod's status is generated many times. */
const sums = new WeakMap<object, PodResources>();

function sumsOf(pod: Pod): PodResources {
  const key = specOf(pod);
  let known = sums.get(key);
  if (known === undefined) {
    known = { requests: podRequests(pod), limits: podLimits(pod) };
    sums.set(key, known);
  }
  return known;
}

function podResourcesOf(pod: Pod, phase: PodStatus['phase']): Pick<PodStatus, 'resources' | 'allocatedResources'> {
  const { requests, limits } = sumsOf(pod);
  const some = (list: Readonly<Record<string, string>>): boolean => Object.keys(list).length > 0;
  const resources: ResourceRequirements =
    phase === 'Running'
      ? (pod.spec?.resources ?? {})
      : { ...(some(limits) ? { limits } : {}), ...(some(requests) ? { requests } : {}) };
  return { ...(some(requests) ? { allocatedResources: requests } : {}), resources };
}
