// What a check of the Pod security standards finds, and the words such findings are told in.

import type { Container, PodSpec } from '@homeostat/api/types/core-v1';
import type { ObjectMeta } from '@homeostat/machinery';

export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** The part of a Pod or Pod template that is checked. */
export interface CheckedPod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** Undefined when the Pod keeps the rule. */
export type PodCheck = (pod: CheckedPod) => Violation | undefined;

/** Containers of all kinds, in the order findings name them. */
export function containersOf({ spec }: CheckedPod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** Names of the containers that `isBad` picks. */
export function badContainers(pod: CheckedPod, isBad: (container: Container) => boolean): readonly string[] {
  return containersOf(pod)
    .filter(isBad)
    .map(({ name }) => name);
}

/** `"a", "b"` */
export function quoted(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

/** `container "a"`, `containers "a", "b"` */
export function named(noun: string, names: readonly string[]): string {
  return `${plural(noun, names.length)} ${quoted(names)}`;
}

export function plural(noun: string, count: number): string {
  return count === 1 ? noun : `${noun}s`;
}

/** `pod and containers "a", "b"`; empty when nobody set anything. */
export function setters(byPod: boolean, containers: readonly string[]): string {
  return [...(byPod ? ['pod'] : []), ...(containers.length > 0 ? [named('container', containers)] : [])].join(' and ');
}

/** Without duplicates, in byte order: the values are ASCII by validation. */
export function distinct(values: Iterable<string>): readonly string[] {
  return [...new Set(values)].sort();
}
