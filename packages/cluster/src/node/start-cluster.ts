// A cluster as a real process has it: data on disk, a TLS port, keys under the data directory, a kubeconfig to get in.
// The port is opened first, so that a free one can be told to everybody; requests that come early wait for the server.

import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { aborted, createDeferred, type Env, Scope } from '@homeostat/base';
import type { ApiServerOptions } from '@homeostat/apiserver';
import {
  type ClusterPki,
  createHttpWebhookCaller,
  listen,
  type Listener,
  nodeDigests,
  openClusterPki,
  type TlsOptions,
  writeKubeconfig,
} from '@homeostat/apiserver/node';
import type { Handle } from '@homeostat/client';
import type { Store } from '@homeostat/storage';
import { type Cluster, type ClusterOptions, createCluster } from '../cluster.ts';
import type { Component } from '../component.ts';
import { compactRegularly } from './compaction.ts';

export interface StartClusterOptions {
  readonly env: Env;
  readonly dataDir: string;
  readonly storage: 'sqlite' | 'memory';
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Components to run, given the PKI; default none: the API server alone. */
  readonly components?: (pki: ClusterPki) => Promise<readonly Component[]> | readonly Component[];
  /** Parts of the security options that flags set. */
  readonly security?: Partial<Omit<ClusterOptions['security'], 'digests'>>;
  readonly server?: Omit<ApiServerOptions, 'env' | 'store' | 'parts' | 'advertise'>;
  /** Tell the `kubernetes` Service where this server is; default true. */
  readonly advertise?: boolean;
  /** Address told to clients; default {@link host}. */
  readonly advertiseAddress?: string;
  /** Serving certificate and client CA from files, in the place of generated ones. */
  readonly tls?: Partial<TlsOptions>;
  /** Directory of keys and certificates; default `<dataDir>/pki`. */
  readonly certDir?: string;
  /** Default `<dataDir>/kubeconfig`. */
  readonly kubeconfigOut?: string;
  /** Told as the start goes on. */
  readonly onProgress?: (what: string) => void;
}

export interface StartedCluster {
  readonly cluster: Cluster;
  readonly url: string;
  /** Path of the administrator kubeconfig. */
  readonly kubeconfig: string;
  /** Resolves when every component does its work. */
  readonly ready: Promise<void>;
  /** Resolves when it has ended by {@link stop}; rejects when a part failed. */
  readonly ended: Promise<void>;
  /** Drains requests, ends components, closes the store. */
  stop(): Promise<void>;
}

/** Resolves when the API answers. @throws when the port is taken, the data is held or broken, or a part can't start */
export async function startCluster(options: StartClusterOptions): Promise<StartedCluster> {
  const { env, dataDir, host, onProgress = () => {} } = options;
  const opening = createDeferred<Handle>();
  opening.promise.catch(() => {}); // requests that wait are told
  onProgress('opening data and keys');
  const [store, pki] = await settleBoth(
    openStore(options),
    openClusterPki({
      env,
      directory: options.certDir ?? path.join(dataDir, 'pki'),
      hosts: [host, ...(options.advertiseAddress === undefined ? [] : [options.advertiseAddress])].filter(
        (name) => name !== '0.0.0.0' && name !== '::',
      ),
      serviceAddress: firstAddress(options.server?.serviceClusterIpRanges?.[0] ?? '10.0.0.0/24'),
    }),
  );
  let listener: Listener;
  try {
    listener = await listen({
      env,
      host,
      port: options.port,
      handle: async (request) => (await opening.promise)(request),
      tls: { cert: pki.serving.cert, key: pki.serving.key, clientCa: [pki.caCert], ...options.tls },
    });
  } catch (error) {
    await store.close();
    throw error;
  }
  const reachable = options.advertiseAddress ?? (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host);
  const url = `https://${reachable.includes(':') ? `[${reachable}]` : reachable}:${listener.port}`;
  onProgress('starting the API server');
  let cluster: Cluster;
  try {
    cluster = await clusterOf(options, { store, pki, reachable, port: listener.port });
  } catch (error) {
    opening.reject(error);
    await listener.close();
    await store.close();
    throw error;
  }
  const stopping = new AbortController();
  const ended = runToEnd({ env, cluster, store, listener, stopping });
  ended.catch((error: unknown) => opening.reject(error));
  await Promise.race([cluster.apiReady, ended]);
  opening.resolve(cluster.server.handle);
  const kubeconfig = path.resolve(options.kubeconfigOut ?? path.join(dataDir, 'kubeconfig'));
  const stop = async (): Promise<void> => {
    stopping.abort(new Error('stopped'));
    await ended;
  };
  try {
    writeKubeconfig({ file: kubeconfig, server: url, caCert: pki.caCert, client: await pki.client('admin') });
  } catch (error) {
    await stop();
    throw error;
  }
  // Made off the ready path: other processes may want its file.
  pki.tokenKeys
    .signingKey()
    .catch((error: unknown) => env.log.error('the ServiceAccount key could not be made', { error }));
  return { cluster, url, kubeconfig, ready: Promise.race([cluster.ready, ended]), ended, stop };
}

interface Opened {
  readonly store: Store;
  readonly pki: ClusterPki;
  readonly reachable: string;
  readonly port: number;
}

async function clusterOf(options: StartClusterOptions, { store, pki, reachable, port }: Opened): Promise<Cluster> {
  return createCluster({
    env: options.env,
    store,
    serverAddress: () => `${reachable}:${port}`,
    security: {
      keys: pki.tokenKeys,
      digests: nodeDigests,
      clientCa: clientCaOf(options, pki),
      webhookCaller: createHttpWebhookCaller(),
      ...options.security,
    },
    server: { ...options.server, ...advertised(options, reachable, port) },
    components: (await options.components?.(pki)) ?? [],
  });
}

interface Running {
  readonly env: Env;
  readonly cluster: Cluster;
  readonly store: Store;
  readonly listener: Listener;
  readonly stopping: AbortController;
}

async function runToEnd({ env, cluster, store, listener, stopping }: Running): Promise<void> {
  try {
    const scope = new Scope({ signal: stopping.signal });
    scope.spawn('cluster', (signal) => cluster.run({ signal }));
    scope.spawn('compaction', (signal) => compactRegularly(env, store, signal));
    scope.spawn('port', async (signal) => {
      await aborted(signal);
      await listener.close();
    });
    await scope.join();
  } finally {
    await listener.close();
    await store.close();
  }
}

async function openStore(options: StartClusterOptions): Promise<Store> {
  if (options.storage === 'memory')
    return (await import('@homeostat/storage/memory')).createMemoryStore({ env: options.env });
  const { openSqliteStore } = await import('@homeostat/storage/sqlite');
  return openSqliteStore({ env: options.env, directory: options.dataDir });
}

// What clients that check certificates themselves are told to trust.
function clientCaOf(options: StartClusterOptions, pki: ClusterPki): string {
  const given = options.tls?.clientCa;
  return given === undefined ? pki.caCert : given.map(String).join('\n');
}

// When one fails, what the other opened is closed before the failure is told.
async function settleBoth(store: Promise<Store>, pki: Promise<ClusterPki>): Promise<readonly [Store, ClusterPki]> {
  const [opened, made] = await Promise.allSettled([store, pki]);
  if (opened.status === 'rejected') throw opened.reason;
  if (made.status === 'rejected') {
    await opened.value.close();
    throw made.reason;
  }
  return [opened.value, made.value];
}

// Endpoints may not lie on loopback: like upstream, the address of the machine's own network is told then.
function advertised(
  options: StartClusterOptions,
  reachable: string,
  port: number,
): Pick<ApiServerOptions, 'advertise'> {
  if (options.advertise === false) return {};
  const loopback = reachable === 'localhost' || reachable.startsWith('127.') || reachable === '::1';
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const address = loopback ? own.find((entry) => !entry.internal && entry.family === 'IPv4')?.address : reachable;
  return address === undefined ? {} : { advertise: { address, port } };
}

function firstAddress(cidr: string): string {
  const [address = ''] = cidr.split('/');
  if (address.includes(':')) return `${address.replace(/::$/, '::')}1`;
  const parts = address.split('.').map(Number);
  parts[3] = (parts[3] ?? 0) + 1;
  return parts.join('.');
}
