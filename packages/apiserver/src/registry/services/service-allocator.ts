import type { Env } from '@homeostat/base';
import type { GroupResource } from '@homeostat/machinery';
import type { StorageHooks } from '../storage-hooks.ts';
import type { StoredResource } from '../stored-resource.ts';

export interface ServiceAllocatorOptions {
  readonly env: Env;
  readonly ranges: readonly string[];
  readonly nodePorts: { readonly from: number; readonly to: number };
}
export class ServiceAllocator {
  readonly hooks: StorageHooks = {};
  constructor(_options: ServiceAllocatorOptions) {}
  attach(_stored: (resource: GroupResource) => StoredResource | undefined): void {}
}
