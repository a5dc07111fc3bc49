// A listening API server in one call: the core, its plug-in parts and the TLS port. For tests, tools and the command
// line; the cluster package wires the same pieces by itself.

import type { Env } from '@homeostat/base';
import { createAuthentication, type AuthenticationOptions } from '../authentication/create-authentication.ts';
import { type AuthorizationMode, createAuthorization } from '../authorization/create-authorization.ts';
import { ensureDefaultPolicy } from '../authorization/rbac/ensure-policy.ts';
import { type AdmissionSelection, createAdmissionPlugins } from '../admission/plugin-table.ts';
import { createApiServer } from '../server/api-server.ts';
import type { ApiServer, ApiServerOptions, ServerParts } from '../server/api-server-options.ts';
import { listen, type Listener, type TlsOptions } from '../server/node/http-listener.ts';
import type { ServerHost } from '../server/server-host.ts';

export interface StartServerOptions extends Omit<ApiServerOptions, 'parts'> {
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls?: TlsOptions;
  readonly authentication: Omit<AuthenticationOptions, 'externalUrl'>;
  readonly authorizationModes?: readonly AuthorizationMode[];
  readonly admission?: AdmissionSelection;
}

export interface StartedServer {
  readonly server: ApiServer;
  readonly listener: Listener;
  readonly url: string;
  /** Drains, closes the port, ends the core. */
  stop(): Promise<void>;
}

/** Resolves when the server is ready. @throws when the port is taken or the start fails */
export async function startServer(options: StartServerOptions): Promise<StartedServer> {
  const { env } = options;
  let url = '';
  const server = createApiServer({ ...options, parts: (host) => standardParts(host, options, () => url) });
  const stopping = new AbortController();
  const running = server.run({ signal: stopping.signal });
  running.catch((error: unknown) => env.log.error('the API server ended', { error }));
  await server.ready;
  const listener = await listen({
    env,
    handle: server.handle,
    port: options.port,
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  });
  url = `${options.tls === undefined ? 'http' : 'https'}://${listener.address}:${listener.port}`;
  return {
    server,
    listener,
    url,
    stop: async () => {
      const closed = listener.close();
      stopping.abort(new Error('stopped'));
      await running;
      await closed;
    },
  };
}

/** Authentication, authorization and admission as a real server has them. */
export function standardParts(host: ServerHost, options: StartServerOptions, externalUrl: () => string): ServerParts {
  const authentication = createAuthentication(host, { ...options.authentication, externalUrl });
  const modes = options.authorizationModes;
  const authorization = createAuthorization(host, modes === undefined ? {} : { modes });
  const plugins = createAdmissionPlugins(host, options.admission);
  return {
    authenticator: authentication.authenticator,
    authorizer: authorization.authorizer,
    impersonator: authorization.impersonator,
    admission: authorization.escalationCheck === undefined ? plugins : [...plugins, authorization.escalationCheck],
    routes: authentication.routes,
    virtualResources: [...authentication.virtualResources, ...authorization.virtualResources],
    startHooks:
      authorization.escalationCheck === undefined
        ? []
        : [{ name: 'rbac-bootstrap', run: (signal) => ensurePolicy(host, signal) }],
    close: () => authorization.close(),
  };
}

function ensurePolicy(host: ServerHost, signal: AbortSignal): Promise<void> {
  return ensureDefaultPolicy({
    handle: host.handle,
    signal,
    lookup: ({ resource, object }) =>
      host.reader({ group: 'rbac.authorization.k8s.io', resource }).get(object.metadata?.namespace ?? '', object.metadata?.name ?? ''),
  });
}
