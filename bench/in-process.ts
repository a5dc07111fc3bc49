// What needs no sockets: the in-process control plane, the work queue, informers, simulation.

import { createRealEnv } from '@homeostat/base/node';
import { createClient } from '@homeostat/client';
import { pods } from '@homeostat/client/resources';
import { nodesComponent, numberedNodes, schedulerComponent } from '@homeostat/cluster';
import { createWorkQueue, InformerFactory } from '@homeostat/runtime';
import { createTestCluster } from '@homeostat/testing';
import { dispatchRows } from './dispatch.ts';
import { largePod } from './pods.ts';
import { millis, type Row } from './table.ts';

export async function inProcessRows(): Promise<readonly Row[]> {
  return [await createRow(), queueRow(), ...(await informerRows()), ...(await dispatchRows()), await simulationRow()];
}

async function createRow(): Promise<Row> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const started = performance.now();
    const cluster = await createTestCluster({ controllerManagers: false });
    await cluster.run(cluster.admin.list(pods));
    times.push(performance.now() - started);
    await cluster.stop();
  }
  return {
    what: 'in-process control plane: create → first request served',
    measured: `${millis(times[0] ?? 0)} cold, ${millis(Math.min(...times))} warm`,
    budget: '30 ms',
  };
}

function queueRow(): Row {
  const queue = createWorkQueue();
  const round = (): number => {
    const started = performance.now();
    for (let i = 0; i < 1000; i++) queue.add(`key-${i}`);
    for (let key = queue.tryGet(); key !== undefined; key = queue.tryGet()) queue.done(key);
    return (performance.now() - started) * 1000;
  };
  for (let i = 0; i < 200; i++) round();
  const times = Array.from({ length: 200 }, round).sort((a, b) => a - b);
  return {
    what: 'work queue, 1,000 × (add, get, done)',
    measured: `${Math.round(times[100] ?? 0)} µs`,
    budget: '200 µs',
  };
}

async function informerRows(): Promise<readonly Row[]> {
  const count = 100_000;
  const items = Array.from({ length: count }, (_unused, index) => {
    const pod = largePod(`pod-${index}`);
    // One spec for all: what is measured is the cache's own cost.
    return {
      ...pod,
      spec: shared.spec,
      metadata: { ...pod.metadata, uid: `uid-${index}`, resourceVersion: String(index + 1) },
    };
  });
  const env = createRealEnv({ level: 'error' });
  const transport = {
    exchanges: 'object' as const,
    close: () => Promise.resolve(),
    send: ({ query, signal }: { readonly query: string; readonly signal: AbortSignal }) =>
      Promise.resolve(
        query.includes('watch=')
          ? { status: 200, headers: {}, body: { kind: 'watch' as const, events: untilAborted(signal) } }
          : {
              status: 200,
              headers: {},
              body: {
                kind: 'object' as const,
                object: { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: String(count + 1) }, items },
              },
            },
      ),
  };
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const informers = new InformerFactory({
    client: createClient({ transport, env, userAgent: 'bench' }),
    env,
    streaming: false,
  });
  const informer = informers.informer(pods);
  const stop = new AbortController();
  const started = performance.now();
  const running = informers.run({ signal: stop.signal });
  await informer.waitForSync(stop.signal);
  const elapsed = performance.now() - started;
  globalThis.gc?.();
  const perPod = (process.memoryUsage().heapUsed - before) / count;
  stop.abort(new Error('done'));
  await running;
  return [
    { what: 'informer of 100,000 Pods, from memory: sync', measured: millis(elapsed), budget: '6 s' },
    {
      what: 'informer: memory per Pod beyond the object',
      measured: globalThis.gc === undefined ? 'run with --expose-gc' : `${Math.round(perPod)} B`,
      budget: '400 B',
    },
  ];
}

const shared = largePod('shared');

async function* untilAborted(signal: AbortSignal): AsyncGenerator<never> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function simulationRow(): Promise<Row> {
  const nodes = nodesComponent({ nodes: numberedNodes(10) });
  const cluster = await createTestCluster({
    components: [schedulerComponent(), nodes],
    server: { podLogs: nodes.podLogs },
  });
  await cluster.advance(10_000);
  const seconds = 600;
  const started = performance.now();
  await cluster.advance(seconds * 1000);
  const elapsed = (performance.now() - started) / 1000;
  await cluster.stop();
  return {
    what: 'simulation, 10 nodes: virtual seconds per real second',
    measured: Math.round(seconds / elapsed).toLocaleString('en'),
    budget: '1,000',
    upstream: 'impossible',
  };
}
