// A listening webhook server: the port, its certificate, and their life. Put it in the manager's `webhooks` group.

import { abortable, aborted, ApiError, createDeferred, Scope } from '@homeostat/base';
import type { ApiRequest, ApiResponse, Handle } from '@homeostat/client';
import { encodeJson } from '@homeostat/machinery';
import type { Runnable } from '../../manager/runnable.ts';
import { createWebhookHandler, type WebhookHandlerOptions } from '../../webhook/webhook-handler.ts';
import { listen, type Listener } from '../http/http-listener.ts';
import type { CertificateSource } from './certificate-source.ts';

export interface WebhookServerOptions extends WebhookHandlerOptions {
  readonly certificates: CertificateSource;
  /** Default 9443; 0 takes a free one. */
  readonly port?: number;
  /** Default all addresses: API servers call from outside. */
  readonly host?: string;
  /** PEM of authorities; with it only clients with a certificate of theirs are answered. */
  readonly clientCa?: readonly string[];
  /** Longest wait for reviews under way at the end, milliseconds; default 10 s. */
  readonly drainMs?: number;
}

export interface WebhookServer extends Runnable {
  /** Resolves when the server can be called. @throws what kept it from it */
  readonly listening: Promise<{ readonly address: string; readonly port: number }>;
}

/**
 * Creates a server; nothing happens before `run`. Its health check fails until it can be called.
 *
 * @example
 * const server = createWebhookServer({ env, webhooks, certificates: fileCertificates({ env, cert, key }) });
 * manager.add(server, { group: 'webhooks' });
 */
export function createWebhookServer(options: WebhookServerOptions): WebhookServer {
  const { env, certificates, clientCa, port = 9443, host = '0.0.0.0', drainMs } = options;
  const { handle } = createWebhookHandler(options);
  const listening = createDeferred<{ readonly address: string; readonly port: number }>();
  listening.promise.catch(() => {}); // told by run
  let listener: Listener | undefined;
  return {
    name: 'webhook',
    listening: listening.promise,
    check: () => (listener === undefined ? 'webhook server has not been started yet' : undefined),
    status: () => ({ port: listener?.port, webhooks: options.webhooks.map(({ type, path }) => ({ type, path })) }),
    async run({ signal }) {
      await using scope = new Scope({ signal });
      try {
        const pair = await abortable(certificates.load(signal), signal);
        listener = await listen({
          env,
          host,
          port,
          ...(drainMs === undefined ? {} : { drainMs }),
          tls: { ...pair, ...(clientCa === undefined ? {} : { clientCa }) },
          handle: clientCa === undefined ? handle : (request) => onlyTrusted(request, handle),
        });
      } catch (error) {
        listening.reject(error);
        if (signal.aborted) return;
        throw error;
      }
      const opened = listener;
      listening.resolve({ address: opened.address, port: opened.port });
      env.log.info('webhooks are served', { address: opened.address, port: opened.port });
      scope.spawn('certificates', (inner) =>
        certificates.run({ signal: inner, onChange: (pair) => opened.replaceCertificate(pair) }),
      );
      try {
        await aborted(scope.signal);
      } finally {
        listener = undefined;
        await opened.close();
      }
      if (!signal.aborted) await scope.join();
    },
  };
}

async function onlyTrusted(request: ApiRequest, handle: Handle): Promise<ApiResponse> {
  if (request.peer?.clientCertificate !== undefined) return handle(request);
  const error = new ApiError({ code: 401, reason: 'Unauthorized', message: 'a client certificate is required' });
  const body = encodeJson(error.toStatus());
  return { status: 401, headers: { 'content-type': 'application/json' }, body: { kind: 'bytes', chunks: [body] } };
}
