// What is stored of each resource, with the facts that no schema and no strategy states: which kinds answer a DELETE with
// the object, how long events live, who allocates addresses.

import { findResource, type KindStrategy, type ResourceInfo } from '@homeostat/api';
import type { Env } from '@homeostat/base';
import type { Store } from '@homeostat/storage';
import type { CacheHub } from '../watch-cache/cache-hub.ts';
import type { ServiceAllocator } from './services/service-allocator.ts';
import { StoredResource } from './stored-resource.ts';
import type { StorageHooks } from './storage-hooks.ts';

export interface StoredResourceContext {
  readonly env: Env;
  readonly store: Store;
  readonly hub: CacheHub;
  readonly services: ServiceAllocator;
  readonly freeze: boolean;
}

/** By storage prefix. */
const returnsDeletedObject = new Set([
  'pods',
  'services/specs',
  'serviceaccounts',
  'persistentvolumes',
  'persistentvolumeclaims',
  'namespaces',
  'podtemplates',
  'resourcequotas',
  'storageclasses',
  'volumeattachments',
  'csidrivers',
  'csinodes',
]);

const eventTtlSeconds = 3_600;

/** Undefined for resources that store nothing: their only verb is create, or they are made up at each read. */
export function createStoredResource(
  info: ResourceInfo,
  strategy: KindStrategy,
  context: StoredResourceContext,
): StoredResource | undefined {
  if (!info.verbs.includes('get') || !info.verbs.includes('delete')) return undefined;
  const { storage } = info;
  // Rules speak the storage version, whichever of the served ones came first.
  const stored =
    info.version === storage.version && info.group === storage.group
      ? info
      : (findResource(storage.group, storage.version, info.resource) ?? info);
  return new StoredResource({
    env: context.env,
    store: context.store,
    hub: context.hub,
    info: stored,
    strategy,
    servedGroup: info.group,
    hooks: hooksOf(storage.prefix, context),
    ttlSeconds: storage.prefix === 'events' ? eventTtlSeconds : 0,
    returnsDeletedObject: returnsDeletedObject.has(storage.prefix),
    freeze: context.freeze,
  });
}

function hooksOf(prefix: string, context: StoredResourceContext): StorageHooks {
  switch (prefix) {
    case 'services/specs':
      return context.services.hooks;
    case 'namespaces':
      return {
        mayVanish: (draft) =>
          ((draft as { spec?: { finalizers?: readonly string[] } }).spec?.finalizers ?? []).length === 0,
      };
    default:
      return {};
  }
}
