// A node must have room for what a pod requests; of those that have, scores prefer the emptier ones, or the fuller ones if so
// configured (spec/scheduler.md §11.5).

import type { Pod } from '@homeostat/api/types/core-v1';
import type { NodeInfo } from '../cache/node-info.ts';
import { actions, type Hint, onNode, onPod } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { type PodInfo, podInfoOf } from '../framework/pod-info.ts';
import { Status, type Verdict } from '../framework/status.ts';
import {
  amountIn,
  type Amounts,
  isExtendedResource,
  isNothing,
  type NodeAmounts,
  noAmounts,
  toNodeAmounts,
} from '../resources/amounts.ts';
import { createResourceScore, type ResourceScoreOptions } from './resource-score.ts';
import { pluginNames } from './names.ts';

export interface NodeResourcesFitOptions {
  /** Default: LeastAllocated over cpu and memory. */
  readonly scoring?: ResourceScoreOptions;
  /** Extended resources that don't matter. */
  readonly ignoredResources?: readonly string[];
  /** Domains of such, `example.com`. */
  readonly ignoredResourceGroups?: readonly string[];
}

const name = pluginNames.nodeResourcesFit;
const tooManyPods = 'Too many pods';

export function createNodeResourcesFit(options: NodeResourcesFitOptions = {}): Plugin {
  const ignored = new Set(options.ignoredResources);
  const ignoredGroups = new Set(options.ignoredResourceGroups);
  const isIgnored = (resource: string): boolean =>
    isExtendedResource(resource) && (ignored.has(resource) || ignoredGroups.has(resource.split('/', 1)[0] ?? ''));
  const score = createResourceScore(options.scoring);
  const fits = (pod: PodInfo, room: Room): boolean => findShortage(pod.requests, room, isIgnored) === undefined;
  return {
    name,
    events: [
      onPod(actions.delete, (_pod, old) => {
        const wasPlaced = (old?.spec?.nodeName ?? '') !== '' || (old?.status?.nominatedNodeName ?? '') !== '';
        return wasPlaced ? 'Queue' : 'Skip';
      }),
      onPod(actions.updatePodScaleDown, scaledDown),
      onNode(actions.add, (pod, _old, now) =>
        fits(pod, emptyNode(toNodeAmounts(now?.status?.allocatable))) ? 'Queue' : 'Skip',
      ),
      onNode(actions.updateNodeAllocatable, (pod, old, now) => {
        const before = toNodeAmounts(old?.status?.allocatable);
        const after = toNodeAmounts(now?.status?.allocatable);
        return fits(pod, emptyNode(after)) && hasGrown(pod.requests, before, after) ? 'Queue' : 'Skip';
      }),
    ],
    // Nothing to prepare: the pod's requests are worked out once for all cycles.
    preFilter: () => ({ verdict: undefined }),
    filter: (_state, pod, node) => {
      const shortage = findShortage(pod.requests, node, isIgnored);
      return shortage === undefined ? undefined : refusal(shortage);
    },
    score: (_state, pod, node) => score(pod, node),
  };
}

/** What is on a node, and what it offers. */
interface Room {
  readonly allocatable: NodeAmounts;
  readonly requested: Amounts;
  readonly pods: { readonly length: number };
}

interface Shortage {
  readonly reasons: string[];
  /** Even the empty node would be too small. */
  unresolvable: boolean;
}

function emptyNode(allocatable: NodeAmounts): Room {
  return { allocatable, requested: noAmounts, pods: [] };
}

/** What is missing for a pod; undefined when nothing is. */
export function findShortage(
  requests: Amounts,
  { allocatable, requested, pods }: Room | NodeInfo,
  isIgnored: (resource: string) => boolean,
): Shortage | undefined {
  let shortage: Shortage | undefined;
  const note = (reason: string, unresolvable: boolean): void => {
    shortage ??= { reasons: [], unresolvable: false };
    shortage.reasons.push(reason);
    shortage.unresolvable ||= unresolvable;
  };
  if (pods.length + 1 > allocatable.pods) note(tooManyPods, false);
  if (isNothing(requests)) return shortage;
  const { milliCpu, memory, ephemeralStorage, scalars } = requests;
  if (milliCpu > 0 && milliCpu > allocatable.milliCpu - requested.milliCpu)
    note('Insufficient cpu', milliCpu > allocatable.milliCpu);
  if (memory > 0 && memory > allocatable.memory - requested.memory)
    note('Insufficient memory', memory > allocatable.memory);
  if (ephemeralStorage > 0 && ephemeralStorage > allocatable.ephemeralStorage - requested.ephemeralStorage)
    note('Insufficient ephemeral-storage', ephemeralStorage > allocatable.ephemeralStorage);
  for (const [resource, wanted] of scalars) {
    if (wanted === 0 || isIgnored(resource)) continue;
    const total = allocatable.scalars.get(resource) ?? 0;
    if (wanted > total - (requested.scalars.get(resource) ?? 0)) note(`Insufficient ${resource}`, wanted > total);
  }
  return shortage;
}

const refusals = new Map<string, Status>();
const refusalsMax = 256;

// The same few refusals come again and again.
function refusal({ reasons, unresolvable }: Shortage): Verdict {
  const key = `${unresolvable}${reasons.join('\u0000')}`;
  let status = refusals.get(key);
  if (status === undefined) {
    status = unresolvable ? Status.unresolvable(name, ...reasons) : Status.unschedulable(name, ...reasons);
    if (refusals.size >= refusalsMax) refusals.clear();
    refusals.set(key, status);
  }
  return status;
}

function scaledDown(pod: PodInfo, old: Pod | undefined, now: Pod | undefined): Hint {
  if (old === undefined || now === undefined) return 'Skip';
  if (now.metadata?.uid === pod.uid) return 'Queue';
  if ((now.spec?.nodeName ?? '') === '') return 'Skip';
  const before = podInfoOf(old).usage.requested;
  const after = podInfoOf(now).usage.requested;
  return requestedNames(pod.requests).some((resource) => amountIn(after, resource) < amountIn(before, resource))
    ? 'Queue'
    : 'Skip';
}

function hasGrown(requests: Amounts, before: NodeAmounts, after: NodeAmounts): boolean {
  if (after.pods > before.pods) return true;
  return requestedNames(requests).some((resource) => amountIn(after, resource) > amountIn(before, resource));
}

function requestedNames(requests: Amounts): readonly string[] {
  return ['cpu', 'memory', 'ephemeral-storage', ...requests.scalars.keys()].filter(
    (resource) => amountIn(requests, resource) > 0,
  );
}
