// A byte stream to a host by way of a proxy: CONNECT over http or https, or SOCKS5. The proxy resolves the host's name.

import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { connectTcp, type Endpoint } from '../connect-tcp.ts';
import { credentialsOf, endpointOf, proxyAuthorization } from './proxy-url.ts';

export interface TunnelOptions {
  readonly proxy: URL;
  readonly target: Endpoint;
  /** Authorities to trust for an https proxy; default those of the system. */
  readonly ca?: string | undefined;
  /** Ends the attempt and closes its socket. */
  readonly signal: AbortSignal;
}

/** @throws Error when the proxy can't be reached or refuses; the signal's reason. */
export function openTunnel(options: TunnelOptions): Promise<Socket> {
  return options.proxy.protocol.startsWith('socks5') ? openSocks(options) : openConnect(options);
}

async function openSocks({ proxy, target, signal }: TunnelOptions): Promise<Socket> {
  const { SocksClient } = await import('socks');
  const endpoint = endpointOf(proxy);
  const credentials = credentialsOf(proxy);
  const raw = await connectTcp(endpoint, signal);
  const onAbort = (): void => void raw.destroy(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const { socket } = await SocksClient.createConnection({
      command: 'connect',
      destination: target,
      existing_socket: raw,
      proxy: {
        ...endpoint,
        type: 5,
        ...(credentials === undefined ? {} : { userId: credentials.user, password: credentials.password }),
      },
    });
    return socket;
  } catch (error) {
    raw.destroy();
    signal.throwIfAborted();
    throw new Error(`the proxy ${proxy.host} opened no connection: ${(error as Error).message}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function openConnect({ proxy, target, ca, signal }: TunnelOptions): Promise<Socket> {
  const { host, port } = endpointOf(proxy);
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const options = {
    host,
    port,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...proxyAuthorization(proxy) },
    agent: false as const,
    signal,
  };
  return new Promise((resolve, reject) => {
    const request =
      proxy.protocol === 'https:'
        ? https.request({ ...options, ...(ca === undefined ? {} : { ca }) })
        : http.request(options);
    const fail = (error: Error): void => reject(signal.aborted ? signal.reason : error);
    request.once('error', fail);
    request.once('response', (response) => {
      response.destroy();
      fail(new Error(`the proxy ${proxy.host} answered CONNECT with ${response.statusCode}`));
    });
    request.once('connect', (response, socket, head) => {
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) {
        // A server does not speak first in TLS or HTTP, but a SOCKS-like relay might.
        if (head.length > 0) socket.unshift(head);
        resolve(socket as Socket);
        return;
      }
      socket.destroy();
      fail(new Error(`the proxy ${proxy.host} refused the connection to ${authority}: ${statusCode}`));
    });
    request.end();
  });
}
