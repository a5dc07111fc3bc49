// The annotations a Deployment keeps on its ReplicaSets and itself (spec/workloads.md §4.5, §4.6). Revisions are
// 64-bit integers and are compared as bigint: values above 2^53 occur. Pure.

import type { Deployment, ReplicaSet } from '@homeostat/api/types/apps-v1';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
export const revisionHistoryAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';
export const rollbackAnnotation = 'deprecated.deployment.rollback.to';
export const templateHashLabel = 'pod-template-hash';

const revisionHistoryCharactersMax = 2000;

const notCopied: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  rollbackAnnotation,
]);

type Annotations = Readonly<Record<string, string>>;

/** Whether an annotation stays with the Deployment. */
export function isKeptOnDeployment(key: string): boolean {
  return notCopied.has(key);
}

/** The Deployment's annotations that its new ReplicaSet carries too. */
export function copiedAnnotations(deployment: Deployment): Annotations {
  return Object.fromEntries(
    Object.entries(deployment.metadata?.annotations ?? {}).filter(([key]) => !notCopied.has(key)),
  );
}

/** The revision of an object; 0 when it has none, undefined when it is not an integer. */
export function revisionOf(object: { readonly metadata?: { readonly annotations?: Annotations } }): bigint | undefined {
  const text = object.metadata?.annotations?.[revisionAnnotation];
  if (text === undefined) return 0n;
  return /^[+-]?\d+$/.test(text) ? BigInt(text) : undefined;
}

/** One more than the highest revision of the old ReplicaSets; unreadable ones do not count. */
export function nextRevision(oldReplicaSets: readonly ReplicaSet[]): bigint {
  let highest = 0n;
  for (const replicaSet of oldReplicaSets) {
    const revision = revisionOf(replicaSet) ?? 0n;
    if (revision > highest) highest = revision;
  }
  return highest + 1n;
}

/**
 * The annotations of the new ReplicaSet at `revision`, or undefined when they are as they should be. An existing set whose
 * revision is raised remembers the old one in its history; one with an unreadable revision is left alone.
 */
export function newReplicaSetAnnotations(
  deployment: Deployment,
  replicaSet: ReplicaSet,
  revision: bigint,
): Annotations | undefined {
  const present = replicaSet.metadata?.annotations ?? {};
  const wanted: Record<string, string> = { ...present, ...copiedAnnotations(deployment) };
  const old = present[revisionAnnotation];
  const oldRevision = revisionOf(replicaSet);
  if (oldRevision === undefined) return undefined;
  if (oldRevision < revision) {
    wanted[revisionAnnotation] = String(revision);
    if (old !== undefined && old !== '') {
      const history = withHistory(present[revisionHistoryAnnotation], old);
      if (history !== undefined) wanted[revisionHistoryAnnotation] = history;
    }
  }
  const changed = Object.keys(wanted).some((key) => wanted[key] !== present[key]);
  return changed ? wanted : undefined;
}

function withHistory(history: string | undefined, old: string): string | undefined {
  if (history === undefined || history === '') return old;
  const entries = [...history.split(','), old];
  while (entries.length > 1 && entries.join(',').length > revisionHistoryCharactersMax) entries.shift();
  const text = entries.join(',');
  return text.length <= revisionHistoryCharactersMax ? text : undefined;
}

/** The two annotations that tell a ReplicaSet how large the Deployment wants to be; they drive proportional scaling. */
export function replicasAnnotations(desired: number, max: number): Annotations {
  return { [desiredReplicasAnnotation]: String(desired), [maxReplicasAnnotation]: String(max) };
}

/** A non-negative int32 annotation; undefined when absent or unreadable. */
export function replicasAnnotation(replicaSet: ReplicaSet, name: string): number | undefined {
  const text = replicaSet.metadata?.annotations?.[name];
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= 0 && value < 2 ** 31 ? value : undefined;
}
