// Our runtime as a peer among peers: the same modes as bench/peers/go and bench/peers/node.
// Usage: ours.ts KUBECONFIG sync|dispatch HANDLERS|latency COUNT|queue; run with --expose-gc.

import { createRealEnv } from '@homeostat/base/node';
import { type Client, createClient } from '@homeostat/client';
import { createKubeconfigTransport } from '@homeostat/client/node';
import { configMaps, pods } from '@homeostat/client/resources';
import { createController, createWorkQueue, InformerFactory } from '@homeostat/runtime';
import { EventCount, memory, readLine, tell, tellLatencies } from './protocol.ts';

const [kubeconfig = '', mode = '', argument = ''] = process.argv.slice(2);
const env = createRealEnv({ level: 'error' });

const modes: Readonly<Record<string, () => Promise<void> | void>> = { sync, dispatch, latency, queue };
await modes[mode]?.();
process.exit(0);

function connect(): Client {
  const { transport } = createKubeconfigTransport({ env, path: kubeconfig });
  return createClient({ transport, env, userAgent: 'bench' });
}

async function sync(): Promise<void> {
  globalThis.gc?.();
  const before = memory('VmRSS');
  const informers = new InformerFactory({ client: connect(), env });
  const informer = informers.informer(pods);
  informer.addHandler(() => {});
  const stop = new AbortController();
  const started = performance.now();
  void informers.run({ signal: stop.signal });
  await informer.waitForSync(stop.signal);
  const ms = performance.now() - started;
  await collect();
  tell({ ms, count: informer.lister.list().length, before, after: memory('VmRSS'), peak: memory('VmHWM') });
}

/** A collection, and time for V8 to give pages back. */
async function collect(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function dispatch(): Promise<void> {
  const handlers = Number(argument);
  const events = new EventCount();
  const informers = new InformerFactory({ client: connect(), env });
  const informer = informers.informer(pods);
  for (let i = 0; i < handlers; i++)
    informer.addHandler((change) => void (change.type === 'updated' && events.heard()));
  const stop = new AbortController();
  void informers.run({ signal: stop.signal });
  await informer.waitForSync(stop.signal);
  tell({ ready: true });
  const elapsed = events.elapsed(Number(await readLine()) * handlers);
  tell({ armed: true });
  tell({ ms: await elapsed });
}

async function latency(): Promise<void> {
  const client = connect();
  const informers = new InformerFactory({ client, env });
  const waiting = new Map<string, (atMs: number) => void>();
  const controller = createController(
    {
      name: 'latency',
      for: { resource: configMaps, select: { namespace: 'default' } },
      reconcile({ key }) {
        waiting.get(key)?.(performance.now());
        waiting.delete(key);
        return Promise.resolve();
      },
    },
    { client, env, informers },
  );
  const stop = new AbortController();
  void informers.run({ signal: stop.signal });
  void controller.run({ signal: stop.signal });
  while (!controller.hasSynced()) await new Promise((resolve) => setImmediate(resolve));
  const times: number[] = [];
  for (let i = 0; i < Number(argument); i++) {
    const name = `ours-${i}`;
    const heard = new Promise<number>((resolve) => waiting.set(`default/${name}`, resolve));
    const started = performance.now();
    await client.create(configMaps, { namespace: 'default', object: { metadata: { name }, data: { n: String(i) } } });
    times.push((await heard) - started);
  }
  tellLatencies(times);
}

function queue(): void {
  const work = createWorkQueue();
  const keys = Array.from({ length: 1000 }, (_unused, index) => `key-${index}`);
  const round = (): number => {
    const started = performance.now();
    for (const key of keys) work.add(key);
    for (let key = work.tryGet(); key !== undefined; key = work.tryGet()) work.done(key);
    return (performance.now() - started) * 1000;
  };
  for (let i = 0; i < 200; i++) round();
  const times = Array.from({ length: 200 }, round).sort((a, b) => a - b);
  tell({ us: times[100] });
}
