// A TCP connection as a promise.

import net, { type Socket } from 'node:net';

export interface Endpoint {
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** @throws the socket's error, or the signal's reason; the socket is then closed. */
export function connectTcp(endpoint: Endpoint, signal: AbortSignal): Promise<Socket> {
  return whenReady(net.connect(endpoint), 'connect', signal);
}

/** Waits for a socket's `event`; closes the socket when it fails or `signal` aborts first. */
export function whenReady<S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', fail).off('close', onClose).off(event, onReady);
    };
    const fail = (error: Error): void => {
      settle();
      // The socket may fail once more while it closes; nobody is left to hear of it.
      socket.on('error', () => {}).destroy();
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason as Error);
    const onClose = (): void => fail(new Error('the connection was closed'));
    const onReady = (): void => {
      settle();
      resolve(socket);
    };
    socket.once('error', fail).once('close', onClose).once(event, onReady);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
