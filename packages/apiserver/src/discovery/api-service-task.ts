// Keeps an APIService for every group version of custom resources (spec/apiserver.md §20); they come and go with their
// CRDs. Those of the built-in groups are made at the start and are nobody's business later.

import type { APIService } from '@homeostat/api/types/apiregistration-v1';
import { isApiError } from '@homeostat/base';
import { ownRequest } from '../registry/bootstrap/own-request.ts';
import type { StartHook } from '../server/api-server-options.ts';
import { runOnChange } from '../server/run-on-change.ts';
import type { CachedReader, ServerHost } from '../server/server-host.ts';
import { isBuiltinGroup, servicePriority } from './group-order.ts';

const registrationGroup = 'apiregistration.k8s.io';
const path = `/apis/${registrationGroup}/v1/apiservices`;
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';

export function createApiServiceTask(host: ServerHost): StartHook {
  return {
    name: 'apiservice-registration',
    async run(signal) {
      if (host.resources.find(registrationGroup, 'v1', 'apiservices') === undefined) return;
      const reader = host.reader({ group: registrationGroup, resource: 'apiservices' });
      const subscribe = (notify: () => void): readonly (() => void)[] => [
        host.resources.onChange(notify),
        reader.onChange(notify),
      ];
      const pass = (passSignal: AbortSignal): Promise<void> => register(host, reader, passSignal);
      await runOnChange({ env: host.env, name: 'registering the served APIs', subscribe, pass }, signal);
    },
  };
}

async function register(host: ServerHost, reader: CachedReader, signal: AbortSignal): Promise<void> {
  const wanted = new Map<string, APIService>();
  for (const { group, version } of host.resources.list()) {
    if (!isBuiltinGroup(group)) wanted.set(`${version}.${group}`, serviceOf(group, version));
  }
  const stored = await reader.listFresh(undefined, signal);
  for (const { metadata } of stored) {
    const name = metadata?.name ?? '';
    if (wanted.delete(name) || metadata?.labels?.[managedLabel] !== 'true') continue;
    await tolerating('NotFound', ownRequest(host.handle, signal, { method: 'DELETE', path: `${path}/${name}` }));
  }
  for (const object of wanted.values()) {
    await tolerating('AlreadyExists', ownRequest(host.handle, signal, { method: 'POST', path, object }));
  }
}

function serviceOf(group: string, version: string): APIService {
  return {
    apiVersion: `${registrationGroup}/v1`,
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { [managedLabel]: 'true' } },
    spec: { group, version, ...servicePriority(group, version) },
  };
}

async function tolerating(reason: 'AlreadyExists' | 'NotFound', request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!isApiError(error, reason)) throw error;
  }
}
