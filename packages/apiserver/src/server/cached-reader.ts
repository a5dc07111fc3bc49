// Cached reads of one stored resource for the parts that plug into the server.

import type { KubeObject } from '@homeostat/machinery';
import { waitForCurrent } from '../endpoints/list-objects.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import type { CachedReader } from './server-host.ts';

export function createCachedReader(resource: StoredResource): CachedReader {
  const { cache } = resource;
  const never = new AbortController().signal;
  const list = (namespace = ''): readonly KubeObject[] => cache.list(namespace).map((version) => version.object);
  return {
    get: (namespace, name) => cache.get(namespace, name)?.object,
    list,
    getFresh: async (namespace, name, signal = never) => {
      await waitForCurrent(resource, signal);
      return cache.get(namespace, name)?.object;
    },
    listFresh: async (namespace, signal = never) => {
      await waitForCurrent(resource, signal);
      return list(namespace);
    },
    onChange: (listener) =>
      cache.onEvent((event) => listener({ current: event.current?.object, previous: event.previous?.object })),
  };
}
