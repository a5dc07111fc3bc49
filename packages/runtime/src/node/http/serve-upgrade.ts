// HTTP/1.1 upgrades: the core decides; when it answers with an upgrade the socket is its from then on.

import type http from 'node:http';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import type { ApiResponse, DuplexConnection } from '@homeostat/client';
import type { ListenerOptions } from './http-listener.ts';
import { readRequest } from './read-request.ts';

const reasons: Readonly<Record<number, string>> = {
  101: 'Switching Protocols',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  500: 'Internal Server Error',
};

export async function serveUpgrade(
  incoming: http.IncomingMessage,
  socket: Socket,
  head: Buffer,
  options: ListenerOptions,
): Promise<void> {
  const gone = new AbortController();
  socket.on('close', () => gone.abort(new Error('the client closed the connection')));
  socket.on('error', () => gone.abort(new Error('the connection broke')));
  try {
    const response = await options.handle(readRequest(incoming, gone.signal));
    if (response.body.kind !== 'upgrade') {
      await writePlain(socket, response, gone.signal);
      return;
    }
    socket.write(headOf(response));
    await response.body.run(connectionOf(socket, head, gone.signal));
  } catch (error) {
    if (!gone.signal.aborted) options.env.log.warn('upgrade failed', { error, path: incoming.url });
  } finally {
    socket.destroySoon();
  }
}

function headOf(response: ApiResponse): string {
  const lines = [`HTTP/1.1 ${response.status} ${reasons[response.status] ?? 'Status'}`];
  for (const [name, value] of Object.entries(response.headers)) {
    for (const item of typeof value === 'string' ? [value] : value) lines.push(`${name}: ${item}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** An ordinary answer on a connection that wanted more; it is closed afterwards. */
async function writePlain(socket: Socket, response: ApiResponse, signal: AbortSignal): Promise<void> {
  const { body } = response;
  const closing: ApiResponse = { ...response, headers: { ...response.headers, connection: 'close' } };
  if (body.kind === 'bytes') {
    const bytes = Buffer.concat(body.chunks);
    socket.write(headOf({ ...closing, headers: { ...closing.headers, 'content-length': String(bytes.length) } }));
    socket.write(bytes);
    return;
  }
  socket.write(headOf(closing));
  if (body.kind !== 'stream') return;
  // No length and no chunking: the end of the connection is the end of the body.
  for await (const chunk of body.chunks) if (!socket.write(chunk)) await once(socket, 'drain', { signal });
}

function connectionOf(socket: Socket, head: Buffer, signal: AbortSignal): DuplexConnection {
  return {
    incoming: withHead(socket, head),
    write: async (bytes) => {
      if (!socket.write(bytes)) await once(socket, 'drain', { signal });
    },
    close: () =>
      new Promise((resolve) => {
        if (socket.destroyed) resolve();
        else socket.end(() => resolve());
      }),
  };
}

async function* withHead(socket: Socket, head: Buffer): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  yield* socket as AsyncIterable<Uint8Array>;
}
