// The Pod annotation that says which replicas to delete first.

export const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost';

/** The cost; 0 when not set, undefined when it is not a 32-bit integer without leading zeros. */
export function parseDeletionCost(annotations: Readonly<Record<string, string>> | undefined): number | undefined {
  const text = annotations?.[deletionCostAnnotation];
  if (text === undefined) return 0;
  if (!/^(0|-[0-9]+|[1-9][0-9]*)$/.test(text)) return undefined;
  const cost = Number(text);
  return cost >= -2_147_483_648 && cost <= 2_147_483_647 ? cost : undefined;
}
