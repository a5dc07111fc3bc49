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

/** The name of the index over a field: what cached lists with a field selector look for. */
export function fieldIndexName(path: string): string {
  return `field:${path}`;
}

const fieldIndexes = new Map<string, IndexDefinition>();

/**
 * The index over a field, for cached lists with a field selector; the same object for the same path. A field that is not there is the
 * empty string, as in an API server's field selectors.
 *
 * @param path names of fields joined by dots, e.g. `spec.nodeName`
 * @example
 * informer.addIndexes([byField('spec.nodeName')]);
 * informer.list({ fieldSelector: 'spec.nodeName=node-1' });
 */
export function byField(path: string): IndexDefinition {
  let index = fieldIndexes.get(path);
  if (index === undefined) {
    const names = path.split('.');
    index = {
      name: fieldIndexName(path),
      valuesOf(object: KubeObject) {
        let value: unknown = object;
        for (const name of names) {
          value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
        }
        return [
          value === undefined || value === null
            ? ''
            : typeof value === 'object'
              ? JSON.stringify(value)
              : `${value as string}`,
        ];
      },
    };
    fieldIndexes.set(path, index);
  }
  return index;
}
