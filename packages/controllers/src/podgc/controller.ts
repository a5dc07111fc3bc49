// The pod garbage collector: every 20 s a pass over all pods for those that nobody will ever finish
// (spec/infrastructure.md §6): too many terminated ones, terminating ones on nodes out of service, pods of nodes that
// are gone, terminating pods without a node.

import type { Node, Pod, PodStatus } from '@homeostat/api/types/core-v1';
import { isPodTerminal } from '@homeostat/api';
import { nodes, pods } from '@homeostat/client/resources';
import type { Caches, DeleteAction, Plan, PlanController, Step } from '@homeostat/runtime';
import { podStatusPatch, withPodCondition } from '../shared/pod-status-patch.ts';

const passPeriodMs = 20_000;
/** How long a node must have been missing before its pods are given up. */
const quarantineMs = 40_000;
const outOfServiceTaint = 'node.kubernetes.io/out-of-service';
const key = 'pass';

export interface PodGcOptions {
  /** `--terminated-pod-gc-threshold`; default 12,500; 0 keeps all. */
  readonly terminatedThreshold?: number;
}

export interface ObservedPods {
  readonly pods: readonly Pod[];
  readonly nodes: ReadonlyMap<string, Node>;
}

/** Creates the definition; the manager runs it. */
export function createPodGcController(options: PodGcOptions = {}): PlanController<ObservedPods> {
  const threshold = options.terminatedThreshold ?? 12_500;
  // When each missing node was first missed; a memory of the process, so a restart begins the quarantine again.
  const missingSince = new Map<string, number>();
  return {
    name: 'pod-garbage-collector-controller',
    for: { resource: pods, wakes: () => [{ key, afterMs: passPeriodMs }] },
    watches: [{ resource: nodes, wakes: () => [] }],
    observe: (_key, caches) => observe(caches),
    diff: (observed, now) => diff(observed, now, threshold, missingSince),
  };
}

export function observe(caches: Caches): ObservedPods {
  const byName = new Map(
    caches
      .lister(nodes)
      .list()
      .map((node) => [node.metadata?.name ?? '', node]),
  );
  return { pods: caches.lister(pods).list(), nodes: byName };
}

/** One pass. `missingSince` is updated: names in it are in quarantine. */
export function diff(observed: ObservedPods, now: number, threshold: number, missingSince: Map<string, number>): Plan {
  const lost = lostNodes(observed, now, missingSince);
  const steps = [...terminated(observed.pods, threshold), ...outOfService(observed), ...unscheduled(observed.pods)];
  if (lost.length === 0) return { steps, requeueAfterMs: passPeriodMs };
  // The cache may lag: only a live 404 says that a node is gone.
  return {
    steps: [
      ...steps,
      {
        mode: 'parallel',
        onFailure: 'continue',
        actions: lost.map((name) => ({
          verb: 'get',
          resource: nodes,
          name,
          tolerates: ['NotFound'],
          reason: 'NodeMissing',
          facts: { node: name },
        })),
      },
    ],
    next: (outcomes, later) => {
      const gone = new Set(
        outcomes.flatMap((outcome) =>
          outcome.action.verb === 'get' && outcome.status === 'done' && outcome.error !== undefined
            ? [outcome.action.name]
            : [],
        ),
      );
      return { steps: orphaned(observed.pods, gone, later), requeueAfterMs: passPeriodMs };
    },
    requeueAfterMs: passPeriodMs,
  };
}

function lostNodes(observed: ObservedPods, now: number, missingSince: Map<string, number>): readonly string[] {
  const missing = new Set(
    observed.pods.map((pod) => pod.spec?.nodeName ?? '').filter((name) => name !== '' && !observed.nodes.has(name)),
  );
  for (const name of missingSince.keys()) if (!missing.has(name)) missingSince.delete(name);
  for (const name of missing) if (!missingSince.has(name)) missingSince.set(name, now);
  return [...missing].filter((name) => now - (missingSince.get(name) ?? now) >= quarantineMs);
}

function terminated(all: readonly Pod[], threshold: number): readonly Step[] {
  if (threshold <= 0) return [];
  const done = all.filter(isPodTerminal);
  const excess = done.length - threshold;
  if (excess <= 0) return [];
  const evicted = (pod: Pod): boolean => pod.status?.phase === 'Failed' && pod.status.reason === 'Evicted';
  const sorted = done.toSorted((a, b) => {
    if (evicted(a) !== evicted(b)) return evicted(a) ? -1 : 1;
    const left = `${a.metadata?.creationTimestamp ?? ''}\0${a.metadata?.name ?? ''}`;
    const right = `${b.metadata?.creationTimestamp ?? ''}\0${b.metadata?.name ?? ''}`;
    return left < right ? -1 : left > right ? 1 : 0;
  });
  const facts = { terminated: done.length, threshold };
  return [
    {
      mode: 'parallel',
      onFailure: 'continue',
      actions: sorted.slice(0, excess).map((pod) => forceDelete(pod, 'TerminatedPods', facts)),
    },
  ];
}

function outOfService({ pods: all, nodes: byName }: ObservedPods): readonly Step[] {
  return all
    .filter(
      (pod) => pod.metadata?.deletionTimestamp !== undefined && isOutOfService(byName.get(pod.spec?.nodeName ?? '')),
    )
    .map((pod) => forceStep(pod, 'NodeOutOfService', { node: pod.spec?.nodeName ?? '' }));
}

function isOutOfService(node: Node | undefined): boolean {
  const ready = node?.status?.conditions?.find((condition) => condition.type === 'Ready')?.status === 'True';
  return node !== undefined && !ready && (node.spec?.taints?.some((taint) => taint.key === outOfServiceTaint) ?? false);
}

function unscheduled(all: readonly Pod[]): readonly Step[] {
  return all
    .filter((pod) => pod.metadata?.deletionTimestamp !== undefined && (pod.spec?.nodeName ?? '') === '')
    .map((pod) => forceStep(pod, 'NeverScheduled', {}));
}

function orphaned(all: readonly Pod[], gone: ReadonlySet<string>, now: number): readonly Step[] {
  return all
    .filter((pod) => gone.has(pod.spec?.nodeName ?? ''))
    .map((pod) => forceStep(pod, 'NodeGone', { node: pod.spec?.nodeName ?? '' }, withPodCondition(pod, nodeGone, now)));
}

const nodeGone = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
} as const;

// First the phase, so that who waits for the pod sees how it ended; a pod whose status can't be written is not deleted.
function forceStep(pod: Pod, reason: string, facts: DeleteAction['facts'], status = pod.status): Step {
  const remove = forceDelete(pod, reason, facts);
  if (isPodTerminal(pod)) return { actions: [remove], onFailure: 'continue' };
  const failed = { ...status, phase: 'Failed', observedGeneration: pod.metadata?.generation ?? 0 } as PodStatus;
  const patch = podStatusPatch(pod, failed, { reason, facts });
  return { mode: 'sequence', onFailure: 'continue', actions: patch === undefined ? [remove] : [patch, remove] };
}

function forceDelete(pod: Pod, reason: string, facts: DeleteAction['facts']): DeleteAction {
  return {
    verb: 'delete',
    resource: pods,
    namespace: pod.metadata?.namespace ?? '',
    name: pod.metadata?.name ?? '',
    gracePeriodSeconds: 0,
    preconditions: { uid: pod.metadata?.uid ?? '' },
    tolerates: ['NotFound'],
    reason,
    facts,
  };
}
