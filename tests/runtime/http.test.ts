// The runtime over sockets: a cache that outlives its API server.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { it } from 'node:test';
import { nodeDigests, type StartedServer, startServer, toSigningKey } from '@homeostat/apiserver/node';
import type { ConfigMap } from '@homeostat/api/types/core-v1';
import { type Env, Scope, silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { createClient } from '@homeostat/client';
import { createHttpTransport } from '@homeostat/client/node';
import { configMaps } from '@homeostat/client/resources';
import { InformerFactory } from '@homeostat/runtime';
import type { Store } from '@homeostat/storage';
import { createMemoryStore } from '@homeostat/storage/memory';

const key = toSigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);

function serve(env: Env, store: Store, port: number): Promise<StartedServer> {
  return startServer({
    env,
    store,
    host: '127.0.0.1',
    port,
    digests: nodeDigests,
    keys: { signingKey: async () => key, verificationKeys: () => [key] },
    staticTokens: new Map([['secret', { username: 'admin', uid: '', groups: ['system:masters'], extra: {} }]]),
  });
}

it('J1 J2 an informer over HTTP outlives a restart of its API server, and misses nothing', async () => {
  const env = { ...createRealEnv(), log: silentLogger };
  const store = createMemoryStore({ env });
  let server = await serve(env, store, 0);
  const { port } = server.listener;
  const authorize = (): Readonly<Record<string, string>> => ({ authorization: 'Bearer secret' });
  const transport = createHttpTransport({ server: server.url, env, authorize });
  const client = createClient({ transport, env, userAgent: 'test/1.0' });
  const informers = new InformerFactory({ client, env });
  const informer = informers.informer(configMaps, { select: { namespace: 'default' } });
  const waiting = new Map<string, () => void>();
  const seen = new Set<string>();
  informer.addHandler(({ type, object }) => {
    const what = `${type} ${object.metadata?.name}`;
    seen.add(what);
    waiting.get(what)?.();
  });
  const told = (what: string): Promise<void> =>
    seen.has(what) ? Promise.resolve() : new Promise((resolve) => waiting.set(what, resolve));
  const create = (name: string): Promise<ConfigMap> =>
    client.create(configMaps, { object: { metadata: { name, namespace: 'default' } } });
  const scope = new Scope();
  scope.spawn('informers', (signal) => informers.run({ signal }));
  try {
    await informer.waitForSync(new AbortController().signal);
    await create('before');
    await told('added before');
    await server.stop();
    server = await serve(env, store, port);
    await create('after');
    await told('added after');
    await client.delete(configMaps, { namespace: 'default', name: 'before' });
    await told('deleted before');
    assert.equal(informer.lister.get('default', 'after')?.metadata?.name, 'after');
  } finally {
    await scope.close();
    await transport.close();
    await server.stop();
  }
});
