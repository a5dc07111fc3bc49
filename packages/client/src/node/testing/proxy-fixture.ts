// Small proxies on the loopback interface, for tests: HTTP CONNECT with Basic authentication, and SOCKS5 with a password.

import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface StartedProxy {
  /** `http://user:password@127.0.0.1:port` or `socks5://…`. */
  readonly url: URL;
  /** What was asked for, in order: `CONNECT host:port`, `GET http://…`. */
  readonly seen: string[];
  close(): Promise<void>;
}

const user = 'jane';
const password = 'p@ss word';

/** A proxy that takes one user only and connects every name to the loopback interface. */
export async function startHttpProxy(): Promise<StartedProxy> {
  const seen: string[] = [];
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const server = http.createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const allowed = request.headers['proxy-authorization'] === expected;
    const target = new URL(request.url ?? '');
    if (!allowed) {
      response.writeHead(407).end();
      return;
    }
    const { 'proxy-authorization': _own, ...headers } = request.headers;
    const onward = http.request(
      { port: target.port, method: request.method, path: target.pathname, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  server.on('connect', (request, socket: Duplex) => {
    seen.push(`CONNECT ${request.url}`);
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const target = connectLocally(request.url ?? '');
    target.once('connect', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      join(socket, target);
    });
  });
  return started(server, 'http', seen);
}

/** A SOCKS5 proxy (RFC 1928, RFC 1929) that takes one user only and connects every name to the loopback interface. */
export async function startSocksProxy(): Promise<StartedProxy> {
  const seen: string[] = [];
  const server = net.createServer((socket) => {
    serveSocks(socket, seen).catch(() => socket.destroy());
  });
  return started(server, 'socks5', seen);
}

async function serveSocks(socket: Socket, seen: string[]): Promise<void> {
  const [, methods = 0] = await read(socket, 2);
  await read(socket, methods);
  socket.write(Buffer.from([5, 2])); // name and password, please
  const [, userLength = 0] = await read(socket, 2);
  const name = await read(socket, userLength);
  const [passwordLength = 0] = await read(socket, 1);
  const secret = await read(socket, passwordLength);
  const allowed = name.toString() === user && secret.toString() === password;
  socket.write(Buffer.from([1, allowed ? 0 : 1]));
  if (!allowed) return;
  const [, , , kind] = await read(socket, 4);
  const host =
    kind === 3 ? (await read(socket, (await read(socket, 1))[0] ?? 0)).toString() : (await read(socket, 4)).join('.');
  const port = (await read(socket, 2)).readUInt16BE();
  seen.push(`CONNECT ${host}:${port}`);
  const target = connectLocally(`${host}:${port}`);
  target.once('connect', () => {
    socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
    join(socket, target);
  });
}

async function read(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const chunk = socket.read(length) as Buffer | null;
    if (chunk !== null) return chunk;
    await new Promise((resolve, reject) =>
      socket.once('readable', resolve).once('close', () => reject(new Error('closed'))),
    );
  }
}

function connectLocally(authority: string): Socket {
  return net.connect({ host: '127.0.0.1', port: Number(authority.slice(authority.lastIndexOf(':') + 1)) });
}

function join(a: Duplex, b: Duplex): void {
  a.pipe(b);
  b.pipe(a);
  a.on('error', () => b.destroy()).on('close', () => b.destroy());
  b.on('error', () => a.destroy()).on('close', () => a.destroy());
}

async function started(server: net.Server, scheme: string, seen: string[]): Promise<StartedProxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`${scheme}://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`),
    seen,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
