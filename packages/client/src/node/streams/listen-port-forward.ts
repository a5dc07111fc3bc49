// Local ports that lead into a Pod, as `kubectl port-forward` opens them: a listener, and a forwarded connection for each that
// comes.

import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { portForward, type PortForwardOptions } from '../../streams/port-forward.ts';
import type { StreamDependencies } from '../../streams/open-channel.ts';
import { isApiError } from '@homeostat/base';
import { isTransportError } from '../../transport/transport-error.ts';
import type { DuplexConnection } from '../../transport/transport.ts';
import { writeChunk } from '../node-streams.ts';

export interface ListenOptions extends PortForwardOptions {
  /** Default 127.0.0.1. */
  readonly address?: string;
  /** Default 0: any free port. */
  readonly localPort?: number;
  /** Connections at once; one more is closed at once. Default 256. */
  readonly connectionsMax?: number;
}

export interface PortForwardListener {
  readonly port: number;
  /** Closes the listener and every connection; resolves when they are gone. */
  close(): Promise<void>;
}

/**
 * Opens a local port. A connection that the Pod refuses is closed; why is in the log.
 *
 * @throws Error when the port is taken.
 * @example
 * const listener = await listenPortForward({ client, env }, { namespace: 'default', name: 'db-0', port: 5432 });
 * const url = `postgres://127.0.0.1:${listener.port}/`;
 */
export async function listenPortForward(
  dependencies: StreamDependencies,
  { address = '127.0.0.1', localPort = 0, connectionsMax = 256, signal, ...target }: ListenOptions,
): Promise<PortForwardListener> {
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    const connection = forward(dependencies, target, socket, stop.signal).catch((error: unknown) => {
      if (stop.signal.aborted) return;
      const { log } = dependencies.env;
      // A local program that resets its connection is no news.
      const level = isTransportError(error) || isApiError(error) ? 'warn' : 'debug';
      log[level]('a forwarded connection broke', { pod: target.name, port: target.port, error });
    });
    running.add(connection);
    void connection.finally(() => running.delete(connection));
  });
  server.maxConnections = connectionsMax;
  server.listen(localPort, address);
  await once(server, 'listening');
  server.on('error', (error) => dependencies.env.log.warn('the forwarded port accepts no connection', { error }));
  const close = async (): Promise<void> => {
    signal?.removeEventListener('abort', onAbort);
    stop.abort(new Error('the listener was closed'));
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    await Promise.all(running);
    await closed;
  };
  const onAbort = (): void => void close();
  if (signal?.aborted === true) await close();
  signal?.addEventListener('abort', onAbort, { once: true });
  return { port: (server.address() as AddressInfo | null)?.port ?? 0, close };
}

async function forward(
  dependencies: StreamDependencies,
  target: PortForwardOptions,
  socket: Socket,
  signal: AbortSignal,
): Promise<void> {
  // An error of the socket ends its iteration as well.
  socket.on('error', () => {});
  const drop = (): void => void socket.destroy();
  signal.addEventListener('abort', drop, { once: true });
  try {
    const connection = await portForward(dependencies, { ...target, signal });
    try {
      await Promise.race([outward(socket, connection), inward(connection, socket)]);
    } finally {
      await connection.close();
    }
  } finally {
    signal.removeEventListener('abort', drop);
    socket.destroy();
  }
}

/** Never ends by itself: the protocol has no half-close, so an answer may still come after the client's last word. */
async function outward(socket: Socket, connection: DuplexConnection): Promise<void> {
  for await (const chunk of socket) await connection.write(chunk as Uint8Array);
  if (socket.destroyed && !socket.readableEnded) return;
  await new Promise<void>((resolve) => socket.once('close', resolve));
}

async function inward(connection: DuplexConnection, socket: Socket): Promise<void> {
  for await (const chunk of connection.incoming) await writeChunk(socket, chunk);
  socket.end();
  if (!socket.writableFinished) await Promise.race([once(socket, 'finish'), once(socket, 'close')]);
}
