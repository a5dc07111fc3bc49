// The taint eviction controller: pods leave nodes with NoExecute taints they do not tolerate, at once or when their
// toleration ends (spec/infrastructure.md §5). A plain delete: disruption budgets are not asked.

import type { Node, Pod, Taint } from '@homeostat/api/types/core-v1';
import { type ObjectKey, keyOf } from '@homeostat/client';
import { nodes, pods } from '@homeostat/client/resources';
import type { Action, Caches, Change, ObjectReference, Plan, PlanController } from '@homeostat/runtime';
import { podStatusPatch, withPodCondition } from '../shared/pod-status-patch.ts';
import { podsByNode } from '../shared/pods-by-node.ts';
import { stayOf } from './tolerations.ts';

export interface ObservedTaintedPod {
  readonly key: ObjectKey;
  /** Undefined when it is gone. */
  readonly pod: Pod | undefined;
  /** NoExecute taints of its node; undefined when there is no such node: then nothing new is decided, and what runs goes on. */
  readonly taints: readonly Taint[] | undefined;
}

/** When each tolerating pod has to go; a memory of the process, begun again after a restart as upstream's timers are. */
export type Deadlines = Map<ObjectKey, { readonly uid: string; readonly atMs: number }>;

/** Creates the definition; the manager runs it. */
export function createTaintEvictionController(): PlanController<ObservedTaintedPod> {
  const deadlines: Deadlines = new Map();
  return {
    name: 'taint-eviction-controller',
    eventSource: 'taint-eviction-controller',
    concurrency: 8,
    for: { resource: pods, indexes: [podsByNode], predicate: concerns } as PlanController<ObservedTaintedPod>['for'],
    watches: [
      {
        resource: nodes,
        wakes: (change: Change<Node>, caches: Caches) => {
          if (change.type === 'resync') return [];
          const same =
            change.type === 'updated' &&
            JSON.stringify(noExecute(change.old)) === JSON.stringify(noExecute(change.object));
          if (same) return [];
          return caches
            .lister(pods)
            .byIndex(podsByNode.name, change.object.metadata?.name ?? '')
            .map(keyOf);
        },
      },
    ],
    observe: (key, caches) => {
      const pod = caches.lister(pods).getByKey(key);
      const node = caches.lister(nodes).get(undefined, pod?.spec?.nodeName ?? '');
      return { key, pod, taints: node === undefined ? undefined : noExecute(node) };
    },
    diff: (observed, now) => diff(observed, now, deadlines),
  };
}

function concerns(old: Pod, pod: Pod): boolean {
  return (
    (old.spec?.nodeName ?? '') !== (pod.spec?.nodeName ?? '') ||
    JSON.stringify(old.spec?.tolerations ?? []) !== JSON.stringify(pod.spec?.tolerations ?? [])
  );
}

function noExecute(node: Node): readonly Taint[] {
  return (node.spec?.taints ?? []).filter((taint) => taint.effect === 'NoExecute');
}

/** Decides on one pod. A running deadline is never moved, only cancelled: later taints do not postpone it. */
export function diff({ key, pod, taints }: ObservedTaintedPod, now: number, deadlines: Deadlines): Plan {
  const known = deadlines.get(key);
  const running = known !== undefined && known.uid === pod?.metadata?.uid ? known : undefined;
  if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined) {
    deadlines.delete(key);
    return { steps: [] };
  }
  if (taints === undefined) {
    if (running === undefined) return { steps: [] };
    if (running.atMs > now) return { steps: [], requeueAfterMs: running.atMs - now };
    deadlines.delete(key);
    return { steps: [{ mode: 'sequence', actions: evict(pod, [], now) }] };
  }
  const stay = taints.length === 0 ? 'forever' : stayOf(taints, pod.spec?.tolerations ?? []);
  if (stay === 'forever') {
    deadlines.delete(key);
    return running === undefined
      ? { steps: [] }
      : { steps: [{ actions: [podEvent(pod, 'Cancelling deletion of Pod')] }] };
  }
  const atMs = stay === 'now' ? now : (running?.atMs ?? now + stay);
  if (atMs > now) {
    deadlines.set(key, { uid: pod.metadata?.uid ?? '', atMs });
    return { steps: [], requeueAfterMs: atMs - now };
  }
  deadlines.delete(key);
  return { steps: [{ mode: 'sequence', actions: evict(pod, taints, now) }] };
}

const disruption = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
} as const;

function evict(pod: Pod, taints: readonly Taint[], now: number): readonly Action[] {
  const why = {
    reason: 'NoExecuteTaint',
    facts: { taints: taints.map((taint) => taint.key), node: pod.spec?.nodeName ?? '' },
  };
  const target = { resource: pods, namespace: pod.metadata?.namespace ?? '', name: pod.metadata?.name ?? '' };
  const uid = pod.metadata?.uid ?? '';
  const status = withPodCondition(pod, disruption, now);
  const mark = podStatusPatch(pod, status, { ...why, tolerates: ['NotFound'] });
  const remove: Action = { verb: 'delete', ...target, preconditions: { uid }, tolerates: ['NotFound'], ...why };
  return [podEvent(pod, 'Marking for deletion Pod'), ...(mark === undefined ? [] : [mark]), remove];
}

// The event refers to the pod by name alone, as upstream's does.
function podEvent(pod: Pod, text: string): Action {
  const regarding: ObjectReference = {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: pod.metadata?.namespace ?? '',
    name: pod.metadata?.name ?? '',
  };
  const message = `${text} ${pod.metadata?.namespace ?? ''}/${pod.metadata?.name ?? ''}`;
  return {
    verb: 'event',
    regarding,
    event: { type: 'Normal', reason: 'TaintManagerEviction', message },
    reason: 'TaintManagerEviction',
    facts: {},
  };
}
