// `homeostat controller-manager`: the controllers alone, against any conformant API server.

import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toSigningKey } from '@homeostat/apiserver/node';
import { createTokenSigner, discoverWith } from '@homeostat/cluster';
import { createServiceAccountTransport } from '@homeostat/cluster/node';
import { type Client, type ClientOptions, createClient } from '@homeostat/client';
import { createHttpTransport } from '@homeostat/client/node';
import { type ControllerSettings, createControllerManager, UnknownControllerError } from '@homeostat/controllers';
import type { Env } from '@homeostat/base';
import type { ControllerDependencies } from '@homeostat/runtime';
import { CliError } from '../cli-error.ts';
import { tellAction } from '../demo/told-action.ts';
import { boolFlag, type FlagValues, listFlag, numberFlag, textFlag } from '../flags/flag.ts';
import { connect, type ComponentConnection } from '../process/component-connection.ts';
import { electionOf } from '../process/election.ts';
import { processEnv } from '../process/process-env.ts';
import { runComponent } from '../process/run-component.ts';

const userAgent = 'kube-controller-manager';

export async function controllerManager(values: FlagValues): Promise<void> {
  const env = processEnv(values);
  const connected = connect(values, env);
  const limits = {
    qps: numberFlag(values, 'kube-api-qps'),
    burst: numberFlag(values, 'kube-api-burst'),
    onWarning: (text: string) => env.log.debug('warning from the API server', { text }),
  };
  const client = createClient({ transport: connected.transport, env, userAgent, ...limits });
  const elected = electionOf(values, env, client, userAgent);
  const clientFor = boolFlag(values, 'use-service-account-credentials')
    ? ownCredentials({ env, client, connected, limits })
    : undefined;
  const { manager } = create(() =>
    createControllerManager({
      env,
      client,
      discover: discoverWith(client),
      controllers: listFlag(values, 'controllers'),
      settings: settingsOf(values, connected),
      resyncPeriodMs: numberFlag(values, 'min-resync-period'),
      ...(clientFor === undefined ? {} : { clientFor }),
      ...(elected === undefined ? {} : { election: elected.election }),
      ...(env.log.enabled('debug') ? { onAction: (record) => logAction(env, record) } : {}),
    }),
  );
  if (elected !== undefined)
    manager.add({ name: 'leader election events', run: (run) => elected.events.run(run) }, { group: 'services' });
  await runComponent({
    env,
    values,
    name: 'kube-controller-manager',
    source: manager,
    run: (options) => manager.run(options),
    close: () => connected.transport.close(),
  });
}

// At debug level every action is a line: what was done, why, and on which facts.
function logAction(env: Env, record: Parameters<NonNullable<ControllerDependencies['onAction']>>[0]): void {
  const action = tellAction('', record);
  if (action !== undefined) env.log.debug('acted', { action });
}

interface OwnCredentials {
  readonly env: Env;
  readonly client: Client;
  readonly connected: ComponentConnection;
  readonly limits: Pick<ClientOptions, 'qps' | 'burst' | 'onWarning'>;
}

// One connection pool without credentials, and a token a controller.
function ownCredentials({ env, client, connected, limits }: OwnCredentials): (serviceAccount: string) => Client {
  const { authorize: _own, tls, ...connection } = connected.connection;
  const material = (): ReturnType<Extract<typeof tls, () => unknown>> => {
    const { cert: _cert, key: _key, ...rest } = (typeof tls === 'function' ? tls() : tls) ?? {};
    return rest;
  };
  const transport = createHttpTransport({ ...connection, tls: material, env });
  return (name) =>
    createClient({
      transport: createServiceAccountTransport({ env, client, transport, name }),
      env,
      userAgent,
      ...limits,
    });
}

function settingsOf(values: FlagValues, connected: ComponentConnection): ControllerSettings {
  const rootCa = rootCaOf(values, connected);
  const keyFile = textFlag(values, 'service-account-private-key-file');
  const signer = keyFile === undefined ? undefined : signerOf(keyFile, rootCa);
  return {
    nodeMonitor: {
      periodMs: numberFlag(values, 'node-monitor-period'),
      gracePeriodMs: numberFlag(values, 'node-monitor-grace-period'),
      startupGracePeriodMs: numberFlag(values, 'node-startup-grace-period'),
      evictionRate: numberFlag(values, 'node-eviction-rate'),
      secondaryEvictionRate: numberFlag(values, 'secondary-node-eviction-rate'),
      largeClusterSize: numberFlag(values, 'large-cluster-size-threshold'),
      unhealthyThreshold: numberFlag(values, 'unhealthy-zone-threshold'),
    },
    terminatedPodGcThreshold: numberFlag(values, 'terminated-pod-gc-threshold'),
    concurrentDeploymentSyncs: numberFlag(values, 'concurrent-deployment-syncs'),
    concurrentReplicaSetSyncs: numberFlag(values, 'concurrent-replicaset-syncs'),
    concurrentRcSyncs: numberFlag(values, 'concurrent-rc-syncs'),
    concurrentResourceQuotaSyncs: numberFlag(values, 'concurrent-resource-quota-syncs'),
    resourceQuotaSyncPeriodMs: numberFlag(values, 'resource-quota-sync-period'),
    concurrentEndpointSyncs: numberFlag(values, 'concurrent-endpoint-syncs'),
    concurrentServiceEndpointSyncs: numberFlag(values, 'concurrent-service-endpoint-syncs'),
    concurrentGcSyncs: numberFlag(values, 'concurrent-gc-syncs'),
    concurrentNamespaceSyncs: numberFlag(values, 'concurrent-namespace-syncs'),
    concurrentServiceAccountTokenSyncs: numberFlag(values, 'concurrent-serviceaccount-token-syncs'),
    namespaceSyncPeriodMs: numberFlag(values, 'namespace-sync-period'),
    maxEndpointsPerSlice: numberFlag(values, 'max-endpoints-per-slice'),
    enableGarbageCollector: boolFlag(values, 'enable-garbage-collector'),
    ...(rootCa === undefined ? {} : { rootCa }),
    ...(signer === undefined ? {} : { tokenSigner: signer }),
  };
}

// Without --root-ca-file the CA of the kubeconfig is published, as upstream does.
function rootCaOf(values: FlagValues, { connection }: ComponentConnection): string | undefined {
  const file = textFlag(values, 'root-ca-file');
  if (file !== undefined) return read('root-ca-file', file);
  const material = typeof connection.tls === 'function' ? connection.tls() : connection.tls;
  return material?.ca;
}

function signerOf(file: string, rootCa: string | undefined): ControllerSettings['tokenSigner'] {
  const pem = read('service-account-private-key-file', file);
  const key = create(() => toSigningKey(createPrivateKey(pem)));
  return createTokenSigner({
    keys: { signingKey: () => Promise.resolve(key), verificationKeys: () => [key] },
    ...(rootCa === undefined ? {} : { rootCa }),
  });
}

function read(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`--${flag}: ${error instanceof Error ? error.message : String(error)}`, 1, { cause: error });
  }
}

function create<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof UnknownControllerError) throw new CliError(error.message, 1, { cause: error });
    throw error;
  }
}
