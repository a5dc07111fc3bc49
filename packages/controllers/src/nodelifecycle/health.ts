// The heartbeat rule (spec/infrastructure.md §4.6a): what is remembered of each node, when its silence is too long, and
// the conditions it then gets. All times are of the local clock: a node's own clock is never trusted.

import type { Lease } from '@homeostat/api/types/coordination-v1';
import type { Node, NodeCondition } from '@homeostat/api/types/core-v1';
import { formatTime, parseTime } from '@homeostat/machinery';
import { nodeCondition } from './taints.ts';

export interface Grace {
  readonly monitorMs: number;
  readonly startupMs: number;
}

/** What is remembered of one node. */
export interface NodeHealth {
  readonly uid: string;
  readonly ready: NodeCondition | undefined;
  readonly leaseRenewTime: string | undefined;
  /** When a sign of life was last seen. */
  readonly probeMs: number;
}

export interface Examined {
  readonly health: NodeHealth;
  /** Ready as the object says it; Unknown when it says nothing. */
  readonly observedReady: string;
  /** The conditions to write, when the node has been silent for too long; undefined when nothing changes. */
  readonly conditions: readonly NodeCondition[] | undefined;
  /** Whether Ready is True and must no longer be. */
  readonly flipped: boolean;
}

const watchedConditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const;

export function examine(
  node: Node,
  lease: Lease | undefined,
  before: NodeHealth | undefined,
  now: number,
  grace: Grace,
): Examined {
  const ready = nodeCondition(node, 'Ready');
  const health = remember(node, lease, before, ready, now);
  const graceMs = ready === undefined ? grace.startupMs : grace.monitorMs;
  const observedReady = ready?.status ?? 'Unknown';
  if (now <= health.probeMs + graceMs) return { health, observedReady, conditions: undefined, flipped: false };
  const conditions = silenced(node, now);
  const changed = ready === undefined || ready.status !== 'Unknown';
  return { health, observedReady, conditions: changed ? conditions : undefined, flipped: ready?.status === 'True' };
}

function remember(
  node: Node,
  lease: Lease | undefined,
  before: NodeHealth | undefined,
  ready: NodeCondition | undefined,
  now: number,
): NodeHealth {
  const uid = node.metadata?.uid ?? '';
  const known = before?.uid === uid ? before : undefined;
  let probeMs = known?.probeMs ?? firstProbe(node, ready, now);
  if (known !== undefined && (known.ready === undefined) !== (ready === undefined)) probeMs = now;
  if (known?.ready !== undefined && ready !== undefined && known.ready.lastHeartbeatTime !== ready.lastHeartbeatTime)
    probeMs = now;
  const renewTime = lease?.spec?.renewTime ?? undefined;
  const newer = renewTime !== undefined && (known?.leaseRenewTime === undefined || renewTime > known.leaseRenewTime);
  if (newer) probeMs = now;
  return { uid, ready, leaseRenewTime: newer ? renewTime : known?.leaseRenewTime, probeMs };
}

// A node that never said anything is measured from its creation.
function firstProbe(node: Node, ready: NodeCondition | undefined, now: number): number {
  const created = node.metadata?.creationTimestamp;
  return ready === undefined && created !== undefined && created !== null ? parseTime(created) : now;
}

function silenced(node: Node, now: number): readonly NodeCondition[] {
  const present = node.status?.conditions ?? [];
  const time = formatTime(now);
  const changed = present.map((condition): NodeCondition => {
    if (!watchedConditions.some((type) => type === condition.type) || condition.status === 'Unknown') return condition;
    return {
      ...condition,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: time,
    };
  });
  const missing = watchedConditions.filter((type) => !present.some((condition) => condition.type === type));
  return [
    ...changed,
    ...missing.map(
      (type): NodeCondition =>
        ({
          type,
          status: 'Unknown',
          lastHeartbeatTime: node.metadata?.creationTimestamp ?? null,
          lastTransitionTime: time,
          reason: 'NodeStatusNeverUpdated',
          message: 'Kubelet never posted node status.',
        }) as NodeCondition,
    ),
  ];
}
