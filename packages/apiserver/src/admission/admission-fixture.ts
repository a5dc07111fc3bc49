// Test support of the admission plugins: attributes with sensible defaults, and a host over a map of objects. Only for tests.

import { createVirtualEnv } from '@homeostat/base';
import { type KubeObject, type Mutable, toGroupResource } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../server/admission.ts';
import type { Authorizer } from '../server/authorizer.ts';
import { Reinvocation } from '../server/reinvocation.ts';
import type { CachedReader, ObjectChange, ResourceTable } from '../server/server-host.ts';
import type { AdmissionHost } from './admission-host.ts';

export interface FixtureHost extends AdmissionHost {
  /** Stores an object under `pods`, `deployments.apps` … and tells the listeners. */
  put(resource: string, object: KubeObject): void;
}

export function createFixtureHost(
  authorizer: Authorizer = { authorize: () => ({ decision: 'noOpinion' }) },
): FixtureHost {
  const objects = new Map<string, Map<string, KubeObject>>();
  const listeners = new Map<string, Set<(change: ObjectChange) => void>>();
  const of = (resource: string): Map<string, KubeObject> => {
    let found = objects.get(resource);
    if (found === undefined) objects.set(resource, (found = new Map()));
    return found;
  };
  const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;
  const readerOf = (resource: string): CachedReader => ({
    get: (namespace, name) => of(resource).get(keyOf(namespace, name)),
    list: (namespace = '') =>
      [...of(resource)]
        .filter(([key]) => namespace === '' || key.startsWith(`${namespace}/`))
        .map(([, object]) => object),
    getFresh: async (namespace, name) => of(resource).get(keyOf(namespace, name)),
    listFresh: async (namespace = '') => readerOf(resource).list(namespace),
    onChange(listener) {
      const set = listeners.get(resource) ?? new Set();
      listeners.set(resource, set.add(listener));
      return () => void set.delete(listener);
    },
  });
  return {
    env: createVirtualEnv({ seed: 1 }),
    isStarting: false,
    authorizer,
    handle: () => Promise.reject(new Error('this host answers no requests')),
    resources: { list: () => [] } as unknown as ResourceTable,
    reader: (resource) => readerOf(toGroupResource(resource)),
    put(resource, object) {
      of(resource).set(keyOf(object.metadata?.namespace ?? '', object.metadata?.name ?? ''), object);
      for (const listener of listeners.get(resource) ?? []) listener({ current: object, previous: undefined });
    },
  };
}

/** Attributes of a create of `object` by an ordinary user; `more` overrides. */
export function attributesOf(object: KubeObject, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  return {
    operation: 'CREATE',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    subresource: '',
    namespace: object.metadata?.namespace ?? '',
    name: object.metadata?.name ?? '',
    object: object as Mutable<KubeObject>,
    oldObject: undefined,
    options: undefined,
    dryRun: false,
    user: { username: 'jane', uid: '', groups: ['system:authenticated'], extra: {} },
    signal: new AbortController().signal,
    reinvocation: new Reinvocation(),
    addWarning: () => {},
    addAnnotation: () => {},
    ...more,
  };
}
