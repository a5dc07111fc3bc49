// Which taints a Pod puts up with (KEP-5471 operators included). Follows `k8s.io/component-helpers/scheduling/corev1`.

import type { Taint, Toleration } from '@homeostat/api/types/core-v1';

/** Whether the toleration is meant for the taint. An empty key with `Exists` tolerates everything. */
export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  if ((toleration.effect ?? '') !== '' && toleration.effect !== taint.effect) return false;
  if ((toleration.key ?? '') !== '' && toleration.key !== taint.key) return false;
  const operator: string = toleration.operator ?? '';
  if (operator === 'Exists') return true;
  if (operator === '' || operator === 'Equal') return (toleration.value ?? '') === (taint.value ?? '');
  if (operator !== 'Lt' && operator !== 'Gt') return false;
  const wanted = integerOf(toleration.value);
  const given = integerOf(taint.value);
  if (wanted === undefined || given === undefined) return false;
  return operator === 'Lt' ? given < wanted : given > wanted;
}

/** The first taint of the effects asked for that nothing tolerates. */
export function findUntoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  return taints.find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => toleratesTaint(toleration, taint)),
  );
}

function integerOf(text: string | undefined): bigint | undefined {
  return text !== undefined && /^-?(0|[1-9][0-9]*)$/.test(text) ? BigInt(text) : undefined;
}
