// Composition of the server core: resources, caches, plug-in parts, the request chain. Knows every part of the package
// and nothing of sockets.

import { type KindStrategy, type ResourceInfo, resources as builtInResources, strategyOf } from '@homeostat/api';
import { abortable, aborted, createDeferred, invariant, Scope } from '@homeostat/base';
import type { ApiResponse, Handle } from '@homeostat/client';
import type { GroupResource } from '@homeostat/machinery';
import { CustomResources } from '../crd/custom-resources.ts';
import { dispatch } from '../endpoints/dispatch.ts';
import { type DispatchTable } from '../endpoints/serve-endpoint.ts';
import { createSpecialEndpoints } from '../endpoints/special-endpoints.ts';
import { createBootstrapHooks } from '../registry/bootstrap/bootstrap-hooks.ts';
import { createStoredResource } from '../registry/create-stored-resource.ts';
import { ServiceAllocator } from '../registry/services/service-allocator.ts';
import { termGuardOf } from '../registry/term-guard.ts';
import type { StoredResource } from '../registry/stored-resource.ts';
import { CacheHub } from '../watch-cache/cache-hub.ts';
import { AdmissionChain } from './admission-chain.ts';
import type { ApiServer, ApiServerOptions, ServerParts } from './api-server-options.ts';
import type { Authorizer } from './authorizer.ts';
import { createCachedReader } from './cached-reader.ts';
import type { RequestContext } from './request-context.ts';
import { createRequestHandler } from './request-handler.ts';
import { ServedResources } from './resource-table.ts';
import { RouteTable } from './route-table.ts';
import type { CachedReader, ServerHost } from './server-host.ts';
import { createRequestMetrics } from './server-metrics.ts';
import { anonymousUser, loopbackUser } from './user.ts';

const drainTimeoutMs = 10_000;
const allowAll: Authorizer = { authorize: () => ({ decision: 'allow' }) };

/** Creates a server over a store; starts nothing. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { env, store } = options;
  const hub = new CacheHub({ store, clock: env.clock, log: env.log });
  const ranges = options.serviceClusterIpRanges ?? ['10.0.0.0/24'];
  const services = new ServiceAllocator({
    env,
    ranges,
    nodePorts: options.nodePortRange ?? { from: 30_000, to: 32_767 },
  });
  const table = new ServedResources((info, strategy) =>
    createStoredResource(info, strategy, { env, store, hub, services, freeze: options.freeze ?? false }),
  );
  for (const { info, strategy } of options.resources ?? builtIns()) table.add(info, strategy);

  const readers = new WeakMap<StoredResource, CachedReader>();
  const reader = (resource: GroupResource): CachedReader => {
    const stored = table.stored(resource);
    if (stored === undefined) throw new Error(`resource ${resource.group}/${resource.resource} is not stored`);
    let known = readers.get(stored);
    if (known === undefined) {
      known = createCachedReader(stored);
      readers.set(stored, known);
    }
    return known;
  };

  let parts: ServerParts = {};
  let isStarting = true;
  const inflight = new Set<Promise<unknown>>();
  const handle: Handle = (request) => {
    const answered = serve(request);
    inflight.add(answered);
    const forget = (): void => void inflight.delete(answered);
    answered.then(forget, forget);
    return answered;
  };
  const host: ServerHost = {
    env,
    resources: table,
    reader,
    handle,
    get authorizer() {
      return parts.authorizer ?? allowAll;
    },
    get isStarting() {
      return isStarting;
    },
  };
  services.attach({ stored: (resource) => table.stored(resource), handle });
  parts = options.parts?.(host) ?? {};
  const endpointServices = {
    env,
    admission: new AdmissionChain(parts.admission ?? [], env),
    authorizer: host.authorizer,
  };
  const special = createSpecialEndpoints({
    host,
    table,
    services: endpointServices,
    virtualResources: parts.virtualResources ?? [],
    podLogs: options.podLogs,
  });
  const custom = new CustomResources({ env, store, hub, table, handle, freeze: options.freeze ?? false });
  const dispatchTable: DispatchTable = {
    find: (group, version, resource) => table.entry(group, version, resource),
    isRouted: (group) => group === '' || table.hasTypedGroup(group),
    settled: async ({ entry, context, name }) => {
      const { info } = entry;
      if (info.group !== 'apiextensions.k8s.io' || info.resource !== 'customresourcedefinitions') return;
      // What it writes itself must not wait for itself.
      if (context.request.peer?.user !== loopbackUser) await custom.settle(name, context.signal);
    },
    special,
    services: endpointServices,
    termGuard: ({ request }) =>
      termGuardOf(request, table.stored({ group: 'coordination.k8s.io', resource: 'leases' })),
    watchLimits: { minRequestTimeoutMs: options.minRequestTimeoutMs ?? 1_800_000 },
  };
  const serve = createRequestHandler({
    env,
    authenticator: parts.authenticator ?? { authenticate: () => anonymousUser },
    impersonator: parts.impersonator,
    authorizer: host.authorizer,
    routes: new RouteTable(parts.routes ?? []),
    metrics: createRequestMetrics(env.metrics),
    requestTimeoutMs: options.requestTimeoutMs ?? 60_000,
    resources: (context: RequestContext): Promise<ApiResponse> => dispatch(context, dispatchTable),
    hasGroup: (group) => table.hasGroup(group),
  });

  const ready = createDeferred<void>();
  ready.promise.catch(() => {}); // who waits for it sees the failure; nobody has to wait
  let ran = false;
  const hooks = [...createBootstrapHooks({ host, table, services, options, ranges }), ...(parts.startHooks ?? [])];

  return {
    handle,
    host,
    ready: ready.promise,
    run: async ({ signal }) => {
      invariant(!ran, 'the server was started twice');
      ran = true;
      // The caches outlive the signal: requests under way are answered first.
      const caches = new AbortController();
      await using scope = new Scope();
      scope.spawn('caches', () => hub.run({ signal: caches.signal }));
      try {
        await abortable(hub.ready, signal);
        custom.follow();
        scope.spawn('custom resources', (inner) => custom.run(inner));
        for (const hook of hooks) await hook.run(signal);
        isStarting = false;
        ready.resolve();
        for (const task of parts.tasks ?? []) scope.spawn(task.name, () => task.run(signal));
        // A task that fails ends the server: it would go on with caches that stand still.
        await Promise.race([aborted(signal), aborted(scope.signal)]);
      } catch (error) {
        ready.reject(error);
        if (!signal.aborted) throw error;
      } finally {
        for (const entry of table.entries()) entry.stored?.cache.closeWatchers();
        await drain(inflight, env.clock.sleep(drainTimeoutMs, caches.signal));
        caches.abort(signal.reason ?? new Error('server stopped'));
        parts.close?.();
      }
    },
  };
}

async function drain(inflight: ReadonlySet<Promise<unknown>>, timeout: Promise<void>): Promise<void> {
  const all = Promise.allSettled([...inflight]);
  await Promise.race([all, timeout.catch(() => {})]); // the bound's own end is no failure
}

function builtIns(): readonly { readonly info: ResourceInfo; readonly strategy: KindStrategy }[] {
  return builtInResources.map((info) => ({ info, strategy: strategyOf(info) }));
}
