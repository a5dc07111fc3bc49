// The official JavaScript client as a peer: what bench/peers/ours.ts measures of our runtime. It has no work queue.
// Usage: peer.mjs KUBECONFIG sync COUNT|dispatch HANDLERS|latency COUNT; run with --expose-gc.

import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { EventCount, memory, readLine, tell, tellLatencies } from '../protocol.ts';

const [kubeconfig, mode, argument] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = config.makeApiClient(CoreV1Api);

const modes = { sync, dispatch, latency };
await modes[mode]();
process.exit(0);

async function synced(informer, wanted) {
  let heard = 0;
  const done = new Promise((resolve, reject) => {
    informer.on('add', () => {
      if (++heard === wanted) resolve();
    });
    informer.on('error', reject);
  });
  await Promise.all([informer.start(), wanted === 0 ? undefined : done]);
}

async function sync() {
  globalThis.gc?.();
  const before = memory('VmRSS');
  const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
  const started = performance.now();
  await synced(informer, Number(argument));
  const ms = performance.now() - started;
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  tell({ ms, count: informer.list().length, before, after: memory('VmRSS'), peak: memory('VmHWM') });
}

async function dispatch() {
  const handlers = Number(argument);
  const events = new EventCount();
  const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
  for (let i = 0; i < handlers; i++) informer.on('update', () => events.heard());
  const connected = new Promise((resolve) => informer.on('connect', resolve));
  await informer.start();
  await connected;
  tell({ ready: true });
  const elapsed = events.elapsed(Number(await readLine()) * handlers);
  tell({ armed: true });
  tell({ ms: await elapsed });
}

async function latency() {
  const waiting = new Map();
  const list = () => api.listNamespacedConfigMap({ namespace: 'default' });
  const informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', list);
  informer.on('add', (object) => {
    waiting.get(object.metadata.name)?.(performance.now());
    waiting.delete(object.metadata.name);
  });
  informer.on('error', () => void informer.start());
  await informer.start();
  const times = [];
  for (let i = 0; i < Number(argument); i++) {
    const name = `node-${i}`;
    const heard = new Promise((resolve) => waiting.set(name, resolve));
    const started = performance.now();
    await api.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name }, data: { n: String(i) } } });
    times.push((await heard) - started);
  }
  tellLatencies(times);
}
