// The slow half of the node lifecycle controller: every few seconds a pass over all nodes (spec/infrastructure.md
// §4.5-§4.8). Finds silent nodes, marks them and their pods, and paces NoExecute taints by zone. It remembers signs of
// life; what it has to do follows from that memory and the caches, so a pass that was lost is made up by the next.

import type { Lease } from '@homeostat/api/types/coordination-v1';
import type { Node, Pod } from '@homeostat/api/types/core-v1';
import { isPodReady } from '@homeostat/api';
import { nodes as nodeResource, pods as podResource } from '@homeostat/client/resources';
import { formatTime } from '@homeostat/machinery';
import type { Action, Plan, Step } from '@homeostat/runtime';
import { event } from '../shared/pod-control.ts';
import { examine, type Examined, type NodeHealth } from './health.ts';
import { hasNoExecute, nodeCondition, notReadyKey, taintPatch, unreachableKey } from './taints.ts';
import { type ZoneCounts, zoneOf, type ZoneState, zoneState } from './zones.ts';
import { ZoneQueue } from './zone-queue.ts';

export interface MonitorOptions {
  readonly periodMs: number;
  readonly gracePeriodMs: number;
  readonly startupGracePeriodMs: number;
  /** Nodes a second in a healthy zone. */
  readonly evictionRate: number;
  readonly secondaryEvictionRate: number;
  readonly largeClusterSize: number;
  readonly unhealthyThreshold: number;
}

export interface ObservedCluster {
  readonly nodes: readonly Node[];
  lease(node: string): Lease | undefined;
  podsOn(node: string): readonly Pod[];
}

const excludeLabel = 'node.kubernetes.io/exclude-disruption';
const queuePeriodMs = 100;

/** The memory between passes and the pass itself. */
export class NodeMonitor {
  readonly #options: MonitorOptions;
  readonly #health = new Map<string, NodeHealth>();
  readonly #known = new Map<string, Node>();
  readonly #zones = new Map<string, { state: ZoneState; readonly queue: ZoneQueue }>();
  #allDown = false;
  #nextPassMs = 0;

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  /** Whether the node was last seen not ready; undefined when it was never seen. */
  isNotReady(node: string): boolean | undefined {
    const health = this.#health.get(node);
    return health === undefined ? undefined : health.ready?.status !== 'True';
  }

  /** What is to be done now. Call it again after `requeueAfterMs`. */
  pass(observed: ObservedCluster, now: number): Plan {
    const steps: Step[] = [];
    if (now >= this.#nextPassMs) {
      this.#nextPassMs = now + this.#options.periodMs;
      steps.push(...this.#examineAll(observed, now));
    }
    steps.push(...this.#takeFromQueues(observed, now));
    const waiting = [...this.#zones.values()].some((zone) => zone.queue.size > 0);
    return { steps, requeueAfterMs: waiting ? queuePeriodMs : Math.max(1, this.#nextPassMs - now) };
  }

  #examineAll(observed: ObservedCluster, now: number): readonly Step[] {
    const steps: Step[] = [];
    const counts = new Map<string, { ready: number; notReady: number }>();
    const examined = new Map<Node, Examined>();
    this.#forgetGone(observed.nodes, steps);
    for (const node of observed.nodes) {
      const name = node.metadata?.name ?? '';
      if (this.#known.get(name)?.metadata?.uid !== node.metadata?.uid) steps.push(...this.#register(node, now));
      this.#known.set(name, node);
      const zone = zoneOf(node);
      if (!this.#zones.has(zone))
        this.#zones.set(zone, { state: 'Normal', queue: new ZoneQueue(this.#options.evictionRate, now) });
      const result = examine(node, observed.lease(name), this.#health.get(name), now, {
        monitorMs: this.#options.gracePeriodMs,
        startupMs: this.#options.startupGracePeriodMs,
      });
      this.#health.set(name, result.health);
      examined.set(node, result);
      if (node.metadata?.labels?.[excludeLabel] === undefined) count(counts, zone, result);
    }
    for (const [node, result] of examined) steps.push(...this.#act(node, result, observed, now));
    steps.push(...this.#handleDisruption(observed.nodes, counts, now));
    return steps;
  }

  #forgetGone(present: readonly Node[], steps: Step[]): void {
    const names = new Set(present.map((node) => node.metadata?.name ?? ''));
    for (const [name, node] of this.#known) {
      if (names.has(name)) continue;
      this.#known.delete(name);
      this.#health.delete(name);
      this.#zones.get(zoneOf(node))?.queue.forget(name);
      steps.push({
        actions: [nodeEvent(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`)],
      });
    }
  }

  // A node is new after each start of the controller: its NoExecute taints are taken away and come back, at the zone's
  // pace, if it is still not well.
  #register(node: Node, now: number): readonly Step[] {
    const name = node.metadata?.name ?? '';
    const announce = nodeEvent(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
    return [{ actions: [announce], onFailure: 'continue' }, ...this.#markReachable(node, now)];
  }

  #markReachable(node: Node, now: number): readonly Step[] {
    this.#zones.get(zoneOf(node))?.queue.forget(node.metadata?.name ?? '');
    const remove = [notReadyKey, unreachableKey].filter((key) => hasNoExecute(node, key));
    if (remove.length === 0) return [];
    return [{ actions: [taintPatch(node, { effect: 'NoExecute', add: [], remove }, now)], onFailure: 'continue' }];
  }

  #act(node: Node, result: Examined, observed: ObservedCluster, now: number): readonly Step[] {
    const name = node.metadata?.name ?? '';
    const steps: Step[] = [];
    if (result.conditions !== undefined) {
      const actions: Action[] = [conditionsAction(node, result, now)];
      if (result.flipped) actions.push(nodeEvent(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`));
      steps.push({ mode: 'sequence', actions, onFailure: 'continue' });
    }
    // By the state, not by the change: a controller that died between the two halves does the second one later (case B15).
    if (result.flipped || isGivenUp(node)) steps.push(...markPodsNotReady(observed.podsOn(name), now));
    if (!this.#allDown) steps.push(...this.#taintByReadiness(node, result.observedReady, now));
    return steps;
  }

  #taintByReadiness(node: Node, observedReady: string, now: number): readonly Step[] {
    const name = node.metadata?.name ?? '';
    const queue = this.#zones.get(zoneOf(node))?.queue;
    if (observedReady === 'True') return this.#markReachable(node, now);
    if (nodeCondition(node, 'Ready') === undefined) return [];
    const [wanted, other] = observedReady === 'False' ? [notReadyKey, unreachableKey] : [unreachableKey, notReadyKey];
    if (hasNoExecute(node, other)) {
      return [
        {
          actions: [taintPatch(node, { effect: 'NoExecute', add: [wanted], remove: [other] }, now)],
          onFailure: 'continue',
        },
      ];
    }
    if (hasNoExecute(node, wanted)) return [];
    queue?.add(name);
    return [];
  }

  #takeFromQueues(observed: ObservedCluster, now: number): readonly Step[] {
    const steps: Step[] = [];
    const byName = new Map(observed.nodes.map((node) => [node.metadata?.name ?? '', node]));
    for (const { queue } of this.#zones.values()) {
      for (const name of queue.take(now)) {
        const node = byName.get(name);
        const status = node === undefined ? undefined : nodeCondition(node, 'Ready')?.status;
        // Handled or not, the next pass decides by what the node then says: a lost write is made up.
        queue.forget(name);
        if (node === undefined || status === undefined || status === 'True') continue;
        const [add, remove] = status === 'False' ? [notReadyKey, unreachableKey] : [unreachableKey, notReadyKey];
        steps.push({
          actions: [taintPatch(node, { effect: 'NoExecute', add: [add], remove: [remove] }, now)],
          onFailure: 'continue',
        });
      }
    }
    return steps;
  }

  #handleDisruption(all: readonly Node[], counts: ReadonlyMap<string, ZoneCounts>, now: number): readonly Step[] {
    const states = new Map(
      [...counts].map(([zone, count]) => [zone, zoneState(count, this.#options.unhealthyThreshold)]),
    );
    const allDown = states.size > 0 && [...states.values()].every((state) => state === 'FullDisruption');
    const wasDown = this.#allDown;
    this.#allDown = allDown;
    if (allDown) {
      // Nobody is heard: more likely we are deaf than everybody dead. Take back what was said, give up nobody (case B14).
      for (const zone of this.#zones.values()) zone.queue.setRate(0, now);
      for (const [, zone] of this.#zones) zone.state = 'FullDisruption';
      return wasDown ? [] : all.flatMap((node) => [...this.#markReachable(node, now)]);
    }
    if (wasDown) for (const [name, health] of this.#health) this.#health.set(name, { ...health, probeMs: now });
    for (const [name, zone] of this.#zones) {
      const state = states.get(name) ?? 'Normal';
      if (state === zone.state && !wasDown) continue;
      zone.state = state;
      const size = (counts.get(name)?.ready ?? 0) + (counts.get(name)?.notReady ?? 0);
      zone.queue.setRate(this.#rateOf(state, size), now);
    }
    return [];
  }

  #rateOf(state: ZoneState, zoneSize: number): number {
    if (state !== 'PartialDisruption') return this.#options.evictionRate;
    return zoneSize > this.#options.largeClusterSize ? this.#options.secondaryEvictionRate : 0;
  }
}

function count(counts: Map<string, { ready: number; notReady: number }>, zone: string, result: Examined): void {
  const entry = counts.get(zone) ?? { ready: 0, notReady: 0 };
  counts.set(zone, entry);
  if (result.observedReady === 'True' && !result.flipped) entry.ready++;
  else entry.notReady++;
}

// Unknown is what this controller writes: the kubelet itself only ever says True or False.
function isGivenUp(node: Node): boolean {
  return nodeCondition(node, 'Ready')?.status === 'Unknown';
}

function conditionsAction(node: Node, result: Examined, now: number): Action {
  return {
    verb: 'status',
    resource: nodeResource,
    name: node.metadata?.name ?? '',
    object: {
      ...node,
      apiVersion: 'v1',
      kind: 'Node',
      status: { ...node.status, conditions: result.conditions },
    } as Node,
    tolerates: ['NotFound'],
    reason: 'NodeSilent',
    facts: { silentForMs: Math.round(now - result.health.probeMs) },
  };
}

/** Sets Ready to False on every pod that still says True. */
export function markPodsNotReady(pods: readonly Pod[], now: number): readonly Step[] {
  const actions = pods.filter(isPodReady).map((pod): Action => {
    const conditions = (pod.status?.conditions ?? []).map((condition) =>
      condition.type === 'Ready'
        ? { ...condition, status: 'False' as const, lastTransitionTime: formatTime(now) }
        : condition,
    );
    return {
      verb: 'status',
      resource: podResource,
      namespace: pod.metadata?.namespace ?? '',
      name: pod.metadata?.name ?? '',
      object: { ...pod, apiVersion: 'v1', kind: 'Pod', status: { ...pod.status, conditions } } as Pod,
      tolerates: ['NotFound'],
      reason: 'NodeNotReady',
      facts: { node: pod.spec?.nodeName ?? '' },
      announce: (outcome) =>
        outcome.status === 'done' ? [event(pod, 'Warning', 'NodeNotReady', 'Node is not ready')] : [],
    };
  });
  return actions.length === 0 ? [] : [{ mode: 'parallel', actions, onFailure: 'continue' }];
}

// Node events refer to the node by name and uid, without a resourceVersion.
function nodeEvent(node: Node, reason: string, message: string): Action {
  const regarding = { kind: 'Node', apiVersion: 'v1', name: node.metadata?.name ?? '', uid: node.metadata?.uid ?? '' };
  return { verb: 'event', regarding, event: { type: 'Normal', reason, message }, reason, facts: {} };
}
