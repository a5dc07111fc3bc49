// The world of sockets: the API server listens, and each informer reaches it through a proxy of its own that breaks connections, goes
// silent and answers nonsense over TCP. Clients' clocks run faster, so that bounds of minutes can be waited for.

import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { nodeDigests, startServer, toSigningKey } from '@homeostat/apiserver/node';
import { type Clock, type Env, silentLogger, sleepOn } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { type ApiRequest, createClient } from '@homeostat/client';
import { createHttpTransport } from '@homeostat/client/node';
import { configMaps, namespaces } from '@homeostat/client/resources';
import { createMemoryStore } from '@homeostat/storage/memory';
import { FaultyWire } from './faulty-wire.ts';
import type { World } from './world.ts';

const speed = 40;
const token = 'secret';

/** A clock on which `speed` milliseconds pass in one. */
function fastClock(clock: Clock): Clock {
  const setTimer: Clock['setTimer'] = (delayMs, callback) => clock.setTimer(delayMs / speed, callback);
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs() * speed,
    setTimer,
    sleep: (delayMs, signal) => sleepOn({ setTimer }, delayMs, signal),
    yield: () => clock.yield(),
  };
}

/** Starts an API server and the world around it. */
export async function startSocketWorld(): Promise<World & AsyncDisposable> {
  const env: Env = { ...createRealEnv(), log: silentLogger };
  const clock = fastClock(env.clock);
  const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
  const server = await startServer({
    env,
    store: createMemoryStore({ env }),
    host: '127.0.0.1',
    port: 0,
    digests: nodeDigests,
    keys: { signingKey: async () => key, verificationKeys: () => [key] },
    staticTokens: new Map([[token, { username: 'admin', uid: '', groups: ['system:masters'], extra: {} }]]),
  });
  const direct = createHttpTransport({
    server: server.url,
    env,
    authorize: () => ({ authorization: `Bearer ${token}` }),
  });
  const admin = createClient({ transport: direct, env, userAgent: 'test' });
  // The histories are the only writers; what is about to go is not surely there.
  const present = new Map<string, Map<string, ConfigMap>>();
  const of = (namespace: string): Map<string, ConfigMap> => {
    const found = present.get(namespace) ?? new Map<string, ConfigMap>();
    present.set(namespace, found);
    return found;
  };
  return {
    clock,
    // A quarter of a minute of ours: machines stall.
    slackMs: 600_000,
    list: (namespace) => [...of(namespace).values()],
    get: (namespace, name) => of(namespace).get(name),
    async createNamespace(name) {
      await admin.create(namespaces, { object: { metadata: { name } } });
    },
    async create(namespace, name) {
      of(namespace).set(name, await admin.create(configMaps, { object: { metadata: { name, namespace } } }));
    },
    async patch(namespace, name, data) {
      of(namespace).set(name, await admin.patch(configMaps, { namespace, name, type: 'merge', patch: { data } }));
    },
    async remove(namespace, name) {
      of(namespace).delete(name);
      await admin.delete(configMaps, { namespace, name });
    },
    async connect(options) {
      const wire = new FaultyWire({ ...options, inner: direct, clock });
      const proxy = await startProxy(wire);
      const transport = createHttpTransport({ server: proxy.url, env: { ...env, clock } });
      return {
        transport,
        wire,
        close: async () => {
          await transport.close();
          return proxy.close();
        },
      };
    },
    run: (promise) => promise,
    advance: (durationMs) => clock.sleep(durationMs),
    async runUntil(done, limitMs) {
      const endMs = clock.monotonicMs() + limitMs;
      while (!done()) {
        if (clock.monotonicMs() > endMs) throw new Error(`the condition was not met after ${limitMs} ms`);
        await clock.sleep(500);
      }
    },
    async [Symbol.asyncDispose]() {
      await direct.close();
      await server.stop();
    },
  };
}

interface Proxy {
  readonly url: string;
  close(): Promise<readonly string[]>;
}

async function startProxy(wire: FaultyWire): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const server = http.createServer((incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    forward(wire, incoming, outgoing, gone.signal).catch(() => {
      // A connection that breaks, breaks: no orderly end.
      incoming.socket.resetAndDestroy();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const open = sockets.size;
      // The client has closed its connections: this resolves when the last of them is over.
      await new Promise<void>((resolve) => server.close(() => resolve()));
      return open > 2 ? [`${open} sockets were open at the end`] : [];
    },
  };
}

async function forward(
  wire: FaultyWire,
  incoming: http.IncomingMessage,
  outgoing: http.ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'http://proxy');
  const request: ApiRequest = {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.search.slice(1),
    headers: { accept: 'application/json' },
    signal,
  };
  const { status, headers, body } = await wire.send(request);
  outgoing.statusCode = status;
  outgoing.setHeader('content-type', 'application/json');
  const retryAfter = headers['retry-after'];
  if (typeof retryAfter === 'string') outgoing.setHeader('retry-after', retryAfter);
  outgoing.flushHeaders();
  if (body.kind === 'bytes' || body.kind === 'stream') {
    for await (const chunk of body.chunks) outgoing.write(chunk);
  }
  outgoing.end();
}
