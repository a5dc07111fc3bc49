// What the core does once its caches are loaded: makes the objects every server makes (spec/apiserver.md §20).

import { isApiError } from '@homeostat/base';
import type { Handle } from '@homeostat/client';
import type { ApiServerOptions, StartHook } from '../../server/api-server-options.ts';
import type { ServedResources } from '../../server/resource-table.ts';
import type { ServiceAllocator } from '../services/service-allocator.ts';
import { defaultObjects } from './default-objects.ts';
import { ownRequest } from './own-request.ts';

export interface BootstrapOptions {
  readonly host: { readonly handle: Handle };
  readonly table: ServedResources;
  readonly services: ServiceAllocator;
  readonly options: ApiServerOptions;
}

export function createBootstrapHooks({ host, table }: BootstrapOptions): readonly StartHook[] {
  return [
    {
      name: 'default-objects',
      run: async (signal) => {
        for (const { path, object } of defaultObjects) {
          if (!isServed(table, path)) continue;
          await ensure(host.handle, signal, path, object);
        }
      },
    },
  ];
}

/** Creates an object; one that is there already is fine as it is. */
async function ensure(handle: Handle, signal: AbortSignal, path: string, object: unknown): Promise<void> {
  try {
    await ownRequest(handle, signal, { method: 'POST', path, object });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
}

/** A server with a part of the resources (tests) makes what it serves. */
function isServed(table: ServedResources, path: string): boolean {
  const parts = path.split('/').slice(1);
  const [group, version, resource] = parts[0] === 'api' ? ['', parts[1], parts.at(-1)] : [parts[1], parts[2], parts.at(-1)];
  return table.find(group ?? '', version ?? '', resource ?? '') !== undefined;
}
