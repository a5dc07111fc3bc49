// What a Node says of itself in its conditions.

import type { Node, NodeCondition } from '@homeostat/api/types/core-v1';

export function getNodeCondition(node: Node, type: string): NodeCondition | undefined {
  return node.status?.conditions?.find((condition) => condition.type === type);
}

/** Whether the kubelet says it can run Pods; false when it says nothing. */
export function isNodeReady(node: Node): boolean {
  return getNodeCondition(node, 'Ready')?.status === 'True';
}
