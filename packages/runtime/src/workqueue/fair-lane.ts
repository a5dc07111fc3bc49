// Weighted fairness among keys of one priority (case C15): keys belong to flows, by namespace or any function of the key, and flows
// take turns however many keys each of them has. Start-time fair queuing (Goyal, Vin, Cheng 1996) with every key costing the same:
// it shares hand-outs, not working time.

import { heapPop, heapPush } from '@homeostat/base';
import { splitKey } from '@homeostat/client';
import { createFifoLane, type Lane } from './lane.ts';

/** How ready keys of one priority share the workers. */
export interface Fairness {
  /** The flow a key belongs to, e.g. {@link namespaceOf}. Pure. */
  flowOf(key: string): string;
  /** The share of a flow beside the others, greater than 0; default 1. Asked at each hand-out. */
  weightOf?(flow: string): number;
}

/** The namespace of an object key; empty for keys of cluster-scoped objects. */
export function namespaceOf(key: string): string {
  return splitKey(key).namespace ?? '';
}

interface Flow {
  readonly name: string;
  readonly keys: Lane;
  /** Virtual time of its next hand-out. */
  tag: number;
  /** Breaks ties: who came first. */
  sequence: number;
  /** In the heap. */
  active: boolean;
}

/** Flows without keys that are remembered beyond twice the active ones; the oldest is forgotten and starts anew. */
const idleFlowsMax = 1024;

/**
 * Creates a fair lane. Guarantee: between two hand-outs of a flow that has keys all the time, another flow of w times its weight gets at
 * most ⌈w⌉ + 1. O(log flows) a key.
 */
export function createFairLane(priority: number, fairness: Fairness): Lane {
  /** All keys in order of arrival, for their age. */
  const arrivals = createFifoLane(priority);
  const flows = new Map<string, Flow>();
  const turns: Flow[] = [];
  let virtualTime = 0;
  let sequence = 0;

  const flowNamed = (name: string): Flow => {
    let flow = flows.get(name);
    if (flow === undefined) {
      forgetIdle();
      flow = { name, keys: createFifoLane(priority), tag: virtualTime, sequence: 0, active: false };
      flows.set(name, flow);
    }
    return flow;
  };

  const activate = (flow: Flow): void => {
    flow.active = true;
    flow.sequence = ++sequence;
    heapPush(turns, flow, isBefore);
  };

  const forgetIdle = (): void => {
    if (flows.size < turns.length * 2 + idleFlowsMax) return;
    for (const [name, flow] of flows) {
      if (!flow.active) flows.delete(name);
      if (flows.size < turns.length * 2 + idleFlowsMax / 2) return;
    }
  };

  return {
    priority,
    push(entry) {
      arrivals.push(entry);
      const flow = flowNamed(fairness.flowOf(entry.key));
      flow.keys.push(entry);
      if (flow.active) return;
      // One that comes back has no claim on the time it was away, and no way round the turn it has had.
      flow.tag = Math.max(flow.tag, virtualTime);
      activate(flow);
    },
    oldest: () => arrivals.oldest(),
    take() {
      for (let flow = heapPop(turns, isBefore); flow !== undefined; flow = heapPop(turns, isBefore)) {
        flow.active = false;
        const entry = flow.keys.take();
        if (entry === undefined) continue;
        virtualTime = flow.tag;
        flow.tag += 1 / weightOf(fairness, flow.name);
        if (flow.keys.oldest() !== undefined) activate(flow);
        return entry;
      }
      return undefined;
    },
  };
}

function weightOf(fairness: Fairness, flow: string): number {
  const weight = fairness.weightOf?.(flow) ?? 1;
  return weight > 0 && weight < Infinity ? weight : 1;
}

function isBefore(a: Flow, b: Flow): boolean {
  return a.tag < b.tag || (a.tag === b.tag && a.sequence < b.sequence);
}
