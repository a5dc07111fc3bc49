// A listening API server in one call: the core, its plug-in parts and the TLS port. For tests, tools and the command
// line; the cluster package wires the same pieces by itself.

import { createHttpWebhookCaller } from '../admission/webhook/node/http-webhook-caller.ts';
import { createApiServer } from '../server/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../server/api-server-options.ts';
import { listen, type Listener, type TlsOptions } from '@homeostat/runtime/node';
import { createStandardParts, type StandardPartsOptions } from '../standard-parts.ts';

export interface StartServerOptions
  extends Omit<ApiServerOptions, 'parts'>, Omit<StandardPartsOptions, 'serverAddress'> {
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls?: TlsOptions;
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
  let address = '';
  const server = createApiServer({
    ...options,
    parts: (host) =>
      createStandardParts(host, {
        ...(options.tls?.clientCa === undefined ? {} : { clientCa: options.tls.clientCa.map(String).join('') }),
        webhookCaller: createHttpWebhookCaller(),
        ...options,
        serverAddress: () => address,
      }),
  });
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
  address = `${listener.address}:${listener.port}`;
  const url = `${options.tls === undefined ? 'http' : 'https'}://${address}`;
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
