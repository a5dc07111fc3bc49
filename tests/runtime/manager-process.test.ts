// A manager as a real process: its port, signals, open watches at a stop, the death of its parent. Case ids: S8, S9, C7.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createApiServer } from '@homeostat/apiserver';
import { Scope, silentLogger } from '@homeostat/base';
import { createRealEnv } from '@homeostat/base/node';
import { type Client, createClient, createInProcessTransport } from '@homeostat/client';
import { configMaps, leases } from '@homeostat/client/resources';
import { listen, type Listener } from '@homeostat/runtime/node';
import { createMemoryStore } from '@homeostat/storage/memory';

const file = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const env = { ...createRealEnv(), log: silentLogger };
const scope = new Scope();
const children = new Set<ChildProcess>();
let listener: Listener;
let client: Client;
before(async () => {
  const server = createApiServer({ env, store: createMemoryStore({ env }) });
  scope.spawn('server', (signal) => server.run({ signal }));
  await server.ready;
  listener = await listen({ env, handle: server.handle, port: 0 });
  client = createClient({
    transport: createInProcessTransport({ handle: server.handle, user: { username: 'test' } }),
    env,
    userAgent: 'test',
  });
});
after(async () => {
  for (const child of children) child.kill('SIGKILL');
  await listener.close();
  await scope.close();
});

interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly port: number;
  /** Lines after the first. */
  readonly lines: AsyncIterator<string>;
}

async function start(...args: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  assert.ok(child.stdout);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  return { child, lines, ...(JSON.parse(String(value)) as { readonly pid: number; readonly port: number }) };
}

const serverUrl = (): string => `http://127.0.0.1:${listener.port}`;

describe('a manager in a process of its own', () => {
  it('S8 C7 serves its port, writes under its term, and ends at SIGTERM with watches and idle connections open', async () => {
    const { child, port, lines } = await start(file('manager-process.ts'), serverUrl());
    const get = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    await client.create(configMaps, { object: { metadata: { name: 'one', namespace: 'default' } } });
    const events = await client.watch(configMaps, { namespace: 'default', resourceVersion: '0' });
    for await (const event of events) if (event.object.metadata?.labels?.['seen'] === 'yes') break;
    assert.equal(await get('/readyz'), 'ok');
    assert.match(await get('/healthz?verbose'), /^\[\+\]leaderElection ok$/m);
    const metrics = await get('/metrics');
    for (const line of [
      /^leader_election_master_status\{name="labeller"\} 1$/m,
      /^rest_client_requests_total\{code="200",method="PATCH",host="127\.0\.0\.1:\d+"\} 1$/m,
      /^controller_runtime_reconcile_total\{controller="labeller",result="success"\} \d/m,
      /^reflector_watches_total\{name="configmaps\.v1\."\} 1$/m,
      /^informer_objects\{name="default",group="",version="v1",resource="configmaps"\} [1-9]/m,
      /^informer_queued_items\{name="default",group="",version="v1",resource="configmaps"\} 0$/m,
      /^informer_store_resource_version\{.*resource="configmaps"\} [1-9]/m,
      /^workqueue_adds_total\{.*name="labeller".*\} \d/m,
    ])
      assert.match(metrics, line);
    const informers = JSON.parse(await get('/debug/informers')) as readonly {
      readonly resource: string;
      readonly synced: boolean;
      readonly openWatches: number;
    }[];
    assert.deepEqual(
      informers.map(({ resource, synced, openWatches }) => [resource, synced, openWatches]),
      [['configmaps.v1.', true, 1]],
    );
    const { leading } = JSON.parse(await get('/debug/election')) as { leading: boolean };
    assert.equal(leading, true);
    // The connection that asked is kept open, and so is the watch.
    child.kill('SIGTERM');
    assert.equal((await lines.next()).value, 'ended');
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 0);
    const lease = await client.get(leases, { namespace: 'default', name: 'labeller' });
    assert.equal(lease.spec?.holderIdentity, '', 'released, so that the next one need not wait');
  });

  it('S8 ends at once at the second signal, whatever still runs', async () => {
    const { child, port, lines } = await start(file('manager-process.ts'), serverUrl(), '0', 'deaf');
    child.kill('SIGTERM');
    // It stops in order meanwhile; its port answers to the end.
    for (let state = ''; state !== 'stopping';)
      ({ state } = JSON.parse(await (await fetch(`http://127.0.0.1:${port}/debug/state`)).text()) as { state: string });
    child.kill('SIGTERM');
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    assert.deepEqual([code, signal], [143, null]);
    assert.equal((await lines.next()).done, true, 'it did not end in order');
  });

  it('S9 ends when the process that started it is killed', async () => {
    const { child, pid, lines } = await start(file('parent-process.ts'), file('manager-process.ts'), serverUrl());
    assert.notEqual(pid, child.pid);
    child.kill('SIGKILL');
    // The grandchild holds the pipe: its last word and the end of the pipe are its end.
    assert.equal((await lines.next()).value, 'ended');
    assert.equal((await lines.next()).done, true);
  });
});
