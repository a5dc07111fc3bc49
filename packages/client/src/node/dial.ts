// Opens the connection to an API server: directly or through a proxy, with TLS where the URL says so.

import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import tls, { type SecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';
import type { Env } from '@homeostat/base';
import { TransportError } from '../transport/transport-error.ts';
import { connectTcp, whenReady } from './connect-tcp.ts';
import type { TlsMaterial } from './http-connection-options.ts';
import { openTunnel } from './proxy/open-tunnel.ts';
import { toTransportError } from './transport-failure.ts';

export interface DialOptions {
  /** http or https; its host and port are used. */
  readonly url: URL;
  readonly tls: TlsMaterial;
  /** Protocols to offer, https only. */
  readonly alpn: readonly string[];
  readonly proxy?: URL | undefined;
  readonly env: Env;
  /** For name, proxy and handshake together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Silence before the first probe of TCP; Node sends ten of them, a second apart. */
const keepAliveMs = 30_000;

/**
 * A connected socket; a `TLSSocket` for https.
 * @throws TransportError `refused` (also when time is up: nothing was sent yet) or `tls`; the signal's reason.
 */
export async function dial(options: DialOptions): Promise<Socket> {
  const { url, proxy, env, timeoutMs, signal } = options;
  const doing = `connecting to ${url.host}${proxy === undefined ? '' : ` through ${proxy.protocol}//${proxy.host}`}`;
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const timer = env.clock.setTimer(timeoutMs, () => {
    stop.abort(new TransportError('refused', `${doing}: no connection in ${timeoutMs} ms`));
  });
  try {
    const target = {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80),
    };
    // Material that can't be used is told before there is a socket to close.
    const context = url.protocol === 'https:' ? tls.createSecureContext(toNodeTls(options.tls)) : undefined;
    const raw =
      proxy === undefined
        ? await connectTcp(target, stop.signal)
        : await openTunnel({ proxy, target, ca: options.tls.ca, signal: stop.signal });
    const socket = context === undefined ? raw : await secure(raw, target.host, { ...options, context }, stop.signal);
    socket.setNoDelay(true);
    // A watch or a command over HTTP/1.1 has nothing else that would tell it of a peer that is gone.
    raw.setKeepAlive(true, keepAliveMs);
    return socket;
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason;
    const failure = toTransportError(error, doing);
    // Nothing was sent yet, whatever broke.
    throw failure.code === 'reset' ? new TransportError('refused', failure.message, { cause: error }) : failure;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

async function secure(
  raw: Socket,
  host: string,
  options: DialOptions & { readonly context: SecureContext },
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { serverName, insecureSkipVerify } = options.tls;
  const socket = tls.connect({
    socket: raw,
    host,
    ALPNProtocols: [...options.alpn],
    // A name is needed for SNI, and an address must not be one.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecureSkipVerify === true ? { rejectUnauthorized: false } : {}),
    secureContext: options.context,
  });
  return whenReady(socket, 'secureConnect', signal);
}

/** Whether a socket speaks HTTP/2, as agreed by ALPN. */
export function speaksHttp2(socket: Socket): socket is TLSSocket {
  return socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
}

/** Key material under Node's names. */
function toNodeTls({ ca, cert, key }: TlsMaterial): SecureContextOptions {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}
