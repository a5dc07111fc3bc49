// What the core does once its caches are loaded: makes the objects every server makes (spec/apiserver.md §20).

import type { Handle } from '@homeostat/client';
import type { ApiServerOptions, StartHook } from '../../server/api-server-options.ts';
import type { ServedResources } from '../../server/resource-table.ts';
import type { ServiceAllocator } from '../services/service-allocator.ts';
import { ensureApiServices } from './api-services.ts';
import { defaultObjects } from './default-objects.ts';
import { ensureObject } from './ensure-object.ts';
import { ensureFlowControl } from './flow-control.ts';
import { ensureKubernetesService, ensureServiceCidr, type ServiceNetworkOptions } from './service-network.ts';

export interface BootstrapOptions {
  readonly host: { readonly handle: Handle };
  readonly table: ServedResources;
  readonly services: ServiceAllocator;
  readonly options: ApiServerOptions;
  /** CIDRs that Service addresses are taken from. */
  readonly ranges: readonly string[];
}

export function createBootstrapHooks({
  host,
  table,
  services,
  options,
  ranges,
}: BootstrapOptions): readonly StartHook[] {
  const network = (signal: AbortSignal): ServiceNetworkOptions => ({
    env: options.env,
    handle: host.handle,
    services,
    ranges,
    advertise: options.advertise,
    signal,
  });
  const serves = (group: string, resource: string): boolean => table.find(group, 'v1', resource) !== undefined;
  return [
    {
      name: 'default-objects',
      run: async (signal) => {
        for (const { path, object } of defaultObjects) {
          if (isServed(table, path)) await ensureObject(host.handle, signal, { path, object });
        }
      },
    },
    {
      name: 'service-network',
      run: async (signal) => {
        // A server with a part of the resources (tests) makes what it serves.
        if (!serves('networking.k8s.io', 'servicecidrs') || !serves('networking.k8s.io', 'ipaddresses')) return;
        await ensureServiceCidr(network(signal));
        if (serves('', 'services') && serves('', 'namespaces')) await ensureKubernetesService(network(signal));
      },
    },
    {
      name: 'flow-control',
      run: async (signal) => {
        if (serves('flowcontrol.apiserver.k8s.io', 'flowschemas')) await ensureFlowControl(host.handle, signal);
      },
    },
    {
      name: 'api-services',
      run: async (signal) => {
        if (serves('apiregistration.k8s.io', 'apiservices')) await ensureApiServices(table, host.handle, signal);
      },
    },
  ];
}

function isServed(table: ServedResources, path: string): boolean {
  const parts = path.split('/').slice(1);
  const [group, version, resource] =
    parts[0] === 'api' ? ['', parts[1], parts.at(-1)] : [parts[1], parts[2], parts.at(-1)];
  return table.find(group ?? '', version ?? '', resource ?? '') !== undefined;
}
