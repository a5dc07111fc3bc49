// A whole control plane in one process: the API server's core over a store, and components that reach it through the
// in-process transport alone. Free of sockets and disks: real processes add them (`./node`), simulations do without.

import { aborted, childEnv, type Env, Scope } from '@homeostat/base';
import {
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
  createStandardParts,
  type StandardPartsOptions,
} from '@homeostat/apiserver';
import { type Client, createClient, createInProcessTransport, type Handle, type UserInfo } from '@homeostat/client';
import type { Store } from '@homeostat/storage';
import type { Component, RunningComponent } from './component.ts';

export interface ClusterOptions {
  readonly env: Env;
  /** The cluster's memory; the caller opens and closes it. */
  readonly store: Store;
  readonly security: Omit<StandardPartsOptions, 'serverAddress'>;
  /** `host:port` clients outside reach the server at; may be known only once it listens. */
  readonly serverAddress?: () => string;
  /** Everything else the API server takes. */
  readonly server?: Omit<ApiServerOptions, 'env' | 'store' | 'parts'>;
  /** Default none: an API server alone. */
  readonly components?: readonly Component[];
  /** Put between components and server, e.g. to inject faults; default none. */
  readonly intercept?: (handle: Handle) => Handle;
}

export interface Cluster {
  readonly server: ApiServer;
  /** A client inside the process. */
  clientAs(user: UserInfo, userAgent: string): Client;
  /** Resolves when the API server answers; components may still be starting. @throws what kept it from starting. */
  readonly apiReady: Promise<void>;
  /** Resolves when all components do their work. */
  readonly ready: Promise<void>;
  /** Runs everything until `signal` aborts; components end before the server does. @throws what a part threw. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Creates a cluster; nothing runs before `run`. */
export function createCluster(options: ClusterOptions): Cluster {
  const { env, store, components = [], intercept } = options;
  const serverEnv = childEnv(env, { component: 'apiserver' });
  const server = createApiServer({
    ...options.server,
    env: serverEnv,
    store,
    parts: (host) =>
      createStandardParts(host, { ...options.security, serverAddress: options.serverAddress ?? (() => 'localhost') }),
  });
  const handle = intercept === undefined ? server.handle : intercept(server.handle);
  const clientAs = (user: UserInfo, userAgent: string): Client =>
    createClient({
      transport: createInProcessTransport({ handle, user }),
      env,
      userAgent,
      // Components know what is deprecated; users hear of it from their own clients.
      onWarning: (text) => env.log.debug('warning from the API server', { text }),
    });
  const running: { readonly name: string; readonly component: RunningComponent }[] = components.map((component) => ({
    name: component.name,
    component: component.create({ env: childEnv(env, { component: component.name }), clientAs }),
  }));
  const ready = server.ready.then(async () => {
    await Promise.all(running.map(({ component }) => component.ready));
  });
  ready.catch(() => {}); // told by run
  return {
    server,
    clientAs,
    apiReady: server.ready,
    ready,
    run: async ({ signal }) => {
      const serving = new AbortController();
      await using serverScope = new Scope();
      serverScope.spawn('apiserver', () => server.run({ signal: serving.signal }));
      try {
        await server.ready;
        const scope = new Scope({ signal });
        for (const { name, component } of running) scope.spawn(name, (inner) => component.run({ signal: inner }));
        scope.spawn('until stopped', aborted);
        await scope.join();
      } finally {
        serving.abort(new Error('stopped'));
        await serverScope.join();
      }
    },
  };
}
