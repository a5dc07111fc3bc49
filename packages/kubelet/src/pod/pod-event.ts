// An event about a Pod or one of its containers, before it is recorded.

import type { ContainerKind } from '../runtime/container-runtime.ts';

export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Absent: about the Pod. */
  readonly container?: { readonly name: string; readonly kind: ContainerKind };
}

const lists: Readonly<Record<ContainerKind, string>> = {
  regular: 'containers',
  init: 'initContainers',
  ephemeral: 'ephemeralContainers',
};

/** `spec.containers{name}` */
export function fieldPathOf({ name, kind }: NonNullable<PodEvent['container']>): string {
  return `spec.${lists[kind]}{${name}}`;
}
