// How long a pod may stay on a node with NoExecute taints (spec/infrastructure.md §5.3). Pure.

import type { Taint, Toleration } from '@homeostat/api/types/core-v1';

/** `now`: some taint is not tolerated; a number: milliseconds until the shortest toleration ends; `forever`: none ends. */
export type Stay = 'now' | 'forever' | number;

export function stayOf(taints: readonly Taint[], tolerations: readonly Toleration[]): Stay {
  const seconds: number[] = [];
  for (const taint of taints) {
    const toleration = tolerations.find((candidate) => tolerates(candidate, taint));
    if (toleration === undefined) return 'now';
    if (toleration.tolerationSeconds !== undefined) seconds.push(Math.max(0, Number(toleration.tolerationSeconds)));
  }
  return seconds.length === 0 ? 'forever' : Math.min(...seconds) * 1000;
}

function tolerates(toleration: Toleration, taint: Taint): boolean {
  if ((toleration.effect ?? '') !== '' && toleration.effect !== taint.effect) return false;
  if ((toleration.key ?? '') !== '' && toleration.key !== taint.key) return false;
  if (toleration.operator === 'Exists') return true;
  return (toleration.key ?? '') !== '' && (toleration.value ?? '') === (taint.value ?? '');
}
