// When a node's status is written, and as what (spec/node.md §1.1, §1.4). Pure.

import type { Node, NodeCondition } from '@homeostat/api/types/core-v1';
import { createTwoWayMergePatch, deepEqual, type JsonMap, type StructSchema } from '@homeostat/machinery';
import { attachAnnotation } from './node-object.ts';

/** Whether anything but heartbeat times differs. */
export function nodeStatusDiffers(old: Node, wanted: Node): boolean {
  const { conditions: oldConditions = [], ...oldRest } = old.status ?? {};
  const { conditions = [], ...rest } = wanted.status ?? {};
  return !deepEqual(oldRest, rest) || !deepEqual(withoutHeartbeats(oldConditions), withoutHeartbeats(conditions));
}

function withoutHeartbeats(conditions: readonly NodeCondition[]): readonly NodeCondition[] {
  return [...conditions]
    .sort((a, b) => (a.type < b.type ? -1 : 1))
    .map(({ lastHeartbeatTime: _beat, ...condition }) => condition);
}

/** The patch of the status subresource; labels and annotations may ride along, the spec never. */
export function nodePatch(old: Node, wanted: Node, schema: StructSchema): JsonMap | undefined {
  const shape = ({ metadata, status }: Node): JsonMap =>
    ({
      metadata: { labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} },
      status: status ?? {},
    }) as unknown as JsonMap;
  const patch = createTwoWayMergePatch(shape(old), shape(wanted), schema) as JsonMap & { status?: JsonMap };
  if (Object.keys(patch).length === 0) return undefined;
  const addresses = wanted.status?.addresses ?? [];
  const before = old.status?.addresses ?? [];
  if (before.length > 0 && !deepEqual(before, addresses)) {
    // Two addresses of one type are fine, but the patch's merge key can't tell them apart.
    const whole = [...addresses, { $patch: 'replace' }] as unknown as JsonMap[];
    return { ...patch, status: { ...patch.status, addresses: whole } };
  }
  return patch;
}

/** An existing node as this kubelet wants to find it: its own labels and the annotation, nothing else. */
export function reconcileNode(existing: Node, initial: Node, labels: Readonly<Record<string, string>>): Node {
  const { metadata = {} } = existing;
  return {
    ...existing,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...labels },
      annotations: {
        ...metadata.annotations,
        [attachAnnotation]: initial.metadata?.annotations?.[attachAnnotation] ?? 'true',
      },
    },
  };
}
