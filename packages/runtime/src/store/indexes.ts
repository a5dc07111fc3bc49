// Indexes that more than one controller wants. Share these instead of declaring a second one of the same name.

import type { KubeObject } from '@homeostat/machinery';
import type { IndexDefinition } from './lister.ts';

/** By uid of the controlling owner; objects without one are under {@link orphanValue} of their namespace. */
export const byController: IndexDefinition = {
  name: 'controller',
  valuesOf(object) {
    const controller = object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
    return [controller === undefined ? orphanValue(object.metadata?.namespace) : controller.uid];
  },
};

/** The value of {@link byController} that holds a namespace's objects without a controlling owner. */
export function orphanValue(namespace: string | undefined): string {
  return `orphans/${namespace ?? ''}`;
}

/** By uid of every owner, controlling or not. */
export const byOwner: IndexDefinition = {
  name: 'owner',
  valuesOf: (object) => object.metadata?.ownerReferences?.map((reference) => reference.uid) ?? [],
};

/** By the object's own uid. */
export const byUid: IndexDefinition = {
  name: 'uid',
  valuesOf: (object) => (object.metadata?.uid === undefined ? [] : [object.metadata.uid]),
};

const labelIndexes = new Map<string, IndexDefinition>();

/** The index over a label's value; the same object for the same label, so that controllers share it. */
export function byLabel(label: string): IndexDefinition {
  let index = labelIndexes.get(label);
  if (index === undefined) {
    index = {
      name: `label:${label}`,
      valuesOf(object: KubeObject) {
        const value = object.metadata?.labels?.[label];
        return value === undefined ? [] : [value];
      },
    };
    labelIndexes.set(label, index);
  }
  return index;
}
