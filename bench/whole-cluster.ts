// The whole cluster as a process: start-up, idle memory, Deployments large and larger.

import { performance } from 'node:perf_hooks';
import type { Deployment } from '@homeostat/api/types/apps-v1';
import { deployments } from '@homeostat/client/resources';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { millis, type Row } from './table.ts';

export async function wholeClusterRows(): Promise<readonly Row[]> {
  return [
    ...(await startRows()),
    ...(await largeDeployment(100, 1000)),
    ...(process.env['BENCH_LARGE'] === '1' ? await largeDeployment(100, 10_000) : []),
  ];
}

async function startRows(): Promise<readonly Row[]> {
  const warm = await startServerProcess('up'); // the compile cache is filled by any earlier run
  await warm.stop();
  const server = await startServerProcess('up');
  const started = performance.now() - server.startMs;
  await server.client.create(deployments, { object: webDeployment('web', 3) });
  await untilReady(server, 'web', 3);
  const deployed = performance.now() - started;
  const idle = server.residentBytes();
  await server.stop();
  return [
    {
      what: 'process start → cluster ready; → first Deployment of 3 ready',
      measured: `${millis(server.startMs)}; ${millis(deployed)}`,
      budget: '500 ms; 1 s',
      upstream: '3.8 s (API server and etcd alone)',
    },
    {
      what: 'resident memory of the whole cluster, almost idle',
      measured: `${Math.round(idle / 2 ** 20)} MB`,
      budget: '128 MB',
    },
  ];
}

async function largeDeployment(nodes: number, replicas: number): Promise<readonly Row[]> {
  const server = await startServerProcess('up', ['--nodes', String(nodes)]);
  try {
    const name = 'large';
    const up = await timed(async () => {
      await server.client.create(deployments, { object: webDeployment(name, replicas) });
      await untilReady(server, name, replicas);
    });
    const rolled = await timed(async () => {
      const patch = { spec: { template: { metadata: { annotations: { rolled: 'yes' } } } } };
      const patched = await server.client.patch(deployments, { namespace: 'default', name, type: 'merge', patch });
      await untilReady(server, name, replicas, patched.metadata?.generation ?? 0);
    });
    const gone = await timed(async () => {
      await server.client.delete(deployments, { namespace: 'default', name });
      await untilNoPods(server);
    });
    const upstream = replicas === 1000;
    return [
      {
        what: `Deployment 0 → ${replicas.toLocaleString('en')} Pods ready on ${nodes} simulated nodes`,
        measured: millis(up),
        budget: upstream ? '2 s' : '20 s',
        ...(upstream ? { upstream: '18.6 s' } : {}),
      },
      {
        what: `rolling update of ${replicas.toLocaleString('en')} Pods`,
        measured: millis(rolled),
        budget: upstream ? '3 s' : '–',
        ...(upstream ? { upstream: '20.3 s' } : {}),
      },
      {
        what: `deleting them`,
        measured: millis(gone),
        budget: upstream ? '1 s' : '–',
        ...(upstream ? { upstream: '7.3 s' } : {}),
      },
      {
        what: `resident memory afterwards`,
        measured: `${Math.round(server.residentBytes() / 2 ** 20)} MB`,
        budget: '–',
      },
    ];
  } finally {
    await server.stop();
  }
}

function webDeployment(name: string, replicas: number): Deployment {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: 'nginx' }], terminationGracePeriodSeconds: 1 },
      },
    },
  } as unknown as Deployment;
}

// Through a watch, so that measuring costs the server next to nothing.
async function untilReady(server: ServerProcess, name: string, replicas: number, generation = 0): Promise<void> {
  const stop = new AbortController();
  const events = await server.client.watch(deployments, {
    namespace: 'default',
    fieldSelector: `metadata.name=${name}`,
    signal: stop.signal,
  });
  for await (const { object } of events) {
    const status = object.status;
    const seen = (status?.observedGeneration ?? 0) >= Math.max(generation, 1);
    if (
      seen &&
      status?.readyReplicas === replicas &&
      status.updatedReplicas === replicas &&
      status.replicas === replicas
    )
      break;
  }
  stop.abort(new Error('seen'));
}

async function untilNoPods(server: ServerProcess): Promise<void> {
  for (;;) {
    const list = (await server.client.request({ method: 'GET', path: '/api/v1/pods', query: { limit: 1 } })) as {
      readonly items: readonly unknown[];
    };
    if (list.items.length === 0) return;
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
