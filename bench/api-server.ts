// The API server over TLS: durable creates, GETs, LISTs, watch deliveries.

import { performance } from 'node:perf_hooks';
import { resourceType } from '@homeostat/client';
import { pods } from '@homeostat/client/resources';
import { largePod } from './pods.ts';
import { load, type ServerProcess, startServerProcess } from './server-process.ts';
import { millis, percentile, perSecond, type Row } from './table.ts';

const inFlight = 64;
const accounts = resourceType({
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
});

export async function apiServerRows(): Promise<readonly Row[]> {
  const server = await startServerProcess('apiserver');
  try {
    // Nobody else makes the account that Pods of the namespace need.
    await server.client.create(accounts, { namespace: 'default', object: { metadata: { name: 'default' } } });
    return [...(await creates(server, 3000)), await gets(server), ...(await lists(server)), await watches(server)];
  } finally {
    await server.stop();
  }
}

async function creates(server: ServerProcess, count: number): Promise<readonly Row[]> {
  const create = (index: number): Promise<unknown> => server.client.create(pods, { object: largePod(`pod-${index}`) });
  const { latencies, elapsedMs } = await load(count, inFlight, create);
  return [
    {
      what: `durable create of a 7.7 KB Pod over TLS, ${inFlight} in flight`,
      measured: `${perSecond(count, elapsedMs)}, p99 ${millis(percentile(latencies, 0.99))}`,
      budget: '1,500/s, p99 < 80 ms',
      upstream: '603/s, p99 270 ms',
    },
    {
      what: 'resident memory of the API server with 3,000 Pods of 7.7 KB',
      measured: `${Math.round(server.residentBytes() / 2 ** 20)} MB`,
      budget: '250 MB (whole cluster)',
      upstream: '635 MB',
    },
  ];
}

async function gets(server: ServerProcess): Promise<Row> {
  const count = 20_000;
  const path = '/api/v1/namespaces/default/pods/pod-7';
  const get = async (): Promise<void> => drain(await server.client.send({ method: 'GET', path }));
  await load(2000, inFlight, get);
  const { elapsedMs, latencies } = await load(count, inFlight, get);
  return {
    what: `GET of one object over TLS, ${inFlight} in flight`,
    measured: `${perSecond(count, elapsedMs)}, p99 ${millis(percentile(latencies, 0.99))}`,
    budget: '8,000/s',
    upstream: '2,648/s',
  };
}

async function lists(server: ServerProcess): Promise<readonly Row[]> {
  const list = async (): Promise<number> => {
    const started = performance.now();
    await drain(await server.client.send({ method: 'GET', path: '/api/v1/pods' }));
    return performance.now() - started;
  };
  const best = async (): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < 7; i++) times.push(await list());
    return percentile(
      times.sort((a, b) => a - b),
      0.5,
    );
  };
  const small = await best();
  await load(7000, inFlight, (index) => server.client.create(pods, { object: largePod(`more-${index}`) }));
  const large = await best();
  return [
    { what: 'LIST of 3,000 Pods (23 MB)', measured: millis(small), budget: '80 ms', upstream: '184 ms' },
    { what: 'LIST of 10,000 Pods', measured: millis(large), budget: '300 ms' },
  ];
}

// 1,000 watchers on ten connections; every write is delivered to all of them.
async function watches(server: ServerProcess): Promise<Row> {
  const watchers = 1000;
  const writes = 100;
  const transports = Array.from({ length: 10 }, () => server.connect());
  const stop = new AbortController();
  let delivered = 0;
  const wanted = watchers * writes;
  const done = Promise.withResolvers<void>();
  const running: Promise<void>[] = [];
  for (let i = 0; i < watchers; i++) {
    const transport = transports[i % transports.length];
    if (transport === undefined) continue;
    const response = await transport.send({
      method: 'GET',
      path: '/api/v1/namespaces/kube-public/configmaps',
      query: 'watch=true',
      headers: { accept: 'application/json' },
      signal: stop.signal,
    });
    const { body } = response;
    if (body.kind !== 'stream') throw new Error(`expected a stream, got ${body.kind}`);
    running.push(
      (async () => {
        for await (const chunk of body.chunks) {
          for (const byte of chunk) if (byte === 10 && ++delivered === wanted) done.resolve();
        }
      })().catch(() => {}),
    );
  }
  const configMaps = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };
  delivered = 0;
  const started = performance.now();
  await load(writes, 8, (index) =>
    server.client.create(configMaps, {
      namespace: 'kube-public',
      object: { metadata: { name: `event-${index}` }, data: { text: 'x'.repeat(60) } } as never,
    }),
  );
  await done.promise;
  const elapsedMs = performance.now() - started;
  stop.abort(new Error('done'));
  await Promise.all(running);
  await Promise.all(transports.map((transport) => transport.close()));
  return {
    what: 'watch deliveries, 1,000 watchers over TLS, 300 B events',
    measured: perSecond(wanted, elapsedMs),
    budget: '100,000/s',
  };
}

async function drain(response: Awaited<ReturnType<ServerProcess['client']['send']>>): Promise<void> {
  const { body } = response;
  if (response.status !== 200) throw new Error(`answered ${response.status}`);
  if (body.kind === 'stream') for await (const chunk of body.chunks) void chunk;
}
