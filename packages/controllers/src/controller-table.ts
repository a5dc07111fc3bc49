// The controllers of kube-controller-manager that exist here: their names, the ServiceAccounts they act as, and how each
// is made. Names that upstream knows and this table lacks are listed too, so that `--controllers` accepts them.

import type { Controller, ControllerDefinition, EventRecorder, InformerFactory } from '@homeostat/runtime';
import type { Env } from '@homeostat/base';
import type { Client, ResourceType } from '@homeostat/client';
import type { ControllerName } from './controller-selection.ts';
import { createClusterRoleAggregationController } from './clusterroleaggregation/controller.ts';
import { createDeploymentController } from './deployment/controller.ts';
import { createEndpointsController } from './endpoints/controller.ts';
import { createEndpointSliceController } from './endpointslice/controller.ts';
import { createEndpointSliceMirroringController } from './endpointslicemirroring/controller.ts';
import { GarbageCollector } from './garbagecollector/garbage-collector.ts';
import { createNamespaceController } from './namespace/controller.ts';
import { createNodeLifecycleControllers } from './nodelifecycle/controller.ts';
import type { MonitorOptions } from './nodelifecycle/monitor.ts';
import { createPodGcController } from './podgc/controller.ts';
import { createReplicationController } from './replicationcontroller/controller.ts';
import { createReplicaSetController } from './replicaset/controller.ts';
import { createResourceQuotaController, ownResources, quotasOf } from './resourcequota/controller.ts';
import { CountedResources } from './resourcequota/counted-resources.ts';
import { createRootCaPublisher } from './root-ca-publisher/controller.ts';
import { createServiceAccountController } from './serviceaccount/controller.ts';
import { createTokenController } from './serviceaccount-token/controller.ts';
import type { TokenSigner } from './serviceaccount-token/diff.ts';
import type { Discover } from './shared/discovered-resources.ts';
import { createTaintEvictionController } from './tainteviction/controller.ts';
import { createTtlController } from './ttl/controller.ts';

/** What single controllers can be told; all optional, defaults are upstream's. */
export interface ControllerSettings {
  readonly nodeMonitor?: Partial<MonitorOptions>;
  readonly terminatedPodGcThreshold?: number;
  readonly concurrentDeploymentSyncs?: number;
  readonly concurrentReplicaSetSyncs?: number;
  readonly concurrentRcSyncs?: number;
  readonly concurrentEndpointSyncs?: number;
  readonly concurrentServiceEndpointSyncs?: number;
  readonly concurrentGcSyncs?: number;
  readonly concurrentNamespaceSyncs?: number;
  readonly concurrentServiceAccountTokenSyncs?: number;
  readonly namespaceSyncPeriodMs?: number;
  readonly concurrentResourceQuotaSyncs?: number;
  readonly resourceQuotaSyncPeriodMs?: number;
  readonly maxEndpointsPerSlice?: number;
  readonly enableGarbageCollector?: boolean;
  /** CA bundle for kube-root-ca.crt, PEM; without it nothing is published. */
  readonly rootCa?: string;
  /** Signs legacy token Secrets; without it they stay empty. */
  readonly tokenSigner?: TokenSigner;
}

export interface ControllerContext {
  readonly env: Env;
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly recorder: EventRecorder;
  readonly discover: Discover;
  readonly settings: ControllerSettings;
  /** Resources that other controllers of the process cache whole. */
  wholeResources(): readonly ResourceType[];
}

/** A part that is no controller over keys but runs beside them. */
export interface RunnablePart {
  readonly name: string;
  /** Objects it has still to look at, now or later. */
  readonly pending: number;
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

export type MadeController =
  | {
      readonly definition: ControllerDefinition;
      /** Hears of the controller that runs the definition: for what no watch covers. */
      readonly onCreated?: (controller: Controller) => void;
    }
  | { readonly runnable: RunnablePart };

export interface ControllerEntry extends ControllerName {
  /** Name in kube-system whose rights it needs. */
  readonly serviceAccount: string;
  /** Absent: upstream has it, we do not yet. */
  make?(context: ControllerContext): readonly MadeController[];
}

function over<Observed>(definition: ControllerDefinition<Observed>): { readonly definition: ControllerDefinition } {
  return { definition: definition as ControllerDefinition };
}

function entry(
  name: string,
  aliases: readonly string[],
  serviceAccount: string,
  make?: ControllerEntry['make'],
  onByDefault = true,
): ControllerEntry {
  return { name, aliases, serviceAccount, onByDefault, ...(make === undefined ? {} : { make }) };
}

/** All controllers upstream knows, in its order of names. */
export const controllerTable: readonly ControllerEntry[] = [
  entry('serviceaccount-token-controller', ['serviceaccount-token'], '', ({ settings }) => {
    const { tokenSigner, concurrentServiceAccountTokenSyncs: concurrency } = settings;
    return tokenSigner === undefined
      ? []
      : [over(createTokenController({ signer: tokenSigner, ...(concurrency === undefined ? {} : { concurrency }) }))];
  }),
  entry(
    'endpoints-controller',
    ['endpoint'],
    'endpoint-controller',
    ({ settings: { concurrentEndpointSyncs: concurrency } }) => [
      over(createEndpointsController(concurrency === undefined ? {} : { concurrency })),
    ],
  ),
  entry('endpointslice-controller', ['endpointslice'], 'endpointslice-controller', ({ settings }) => {
    const { concurrentServiceEndpointSyncs: concurrency, maxEndpointsPerSlice: endpointsMax } = settings;
    return [
      over(
        createEndpointSliceController({
          ...(concurrency === undefined ? {} : { concurrency }),
          ...(endpointsMax === undefined ? {} : { endpointsMax }),
        }),
      ),
    ];
  }),
  entry('endpointslice-mirroring-controller', ['endpointslicemirroring'], 'endpointslicemirroring-controller', () => [
    over(createEndpointSliceMirroringController()),
  ]),
  entry(
    'replicationcontroller-controller',
    ['replicationcontroller'],
    'replication-controller',
    ({ settings: { concurrentRcSyncs: concurrency } }) => [
      over(createReplicationController(concurrency === undefined ? {} : { concurrency })),
    ],
  ),
  entry(
    'pod-garbage-collector-controller',
    ['podgc'],
    'pod-garbage-collector',
    ({ settings: { terminatedPodGcThreshold: terminatedThreshold } }) => [
      over(createPodGcController(terminatedThreshold === undefined ? {} : { terminatedThreshold })),
    ],
  ),
  entry('resourcequota-controller', ['resourcequota'], 'resourcequota-controller', (context) => {
    const { env, informers, discover, wholeResources, settings } = context;
    const { concurrentResourceQuotaSyncs: concurrency, resourceQuotaSyncPeriodMs: syncPeriodMs } = settings;
    const counted = new CountedResources({ env, informers, discover, wholeResources, except: ownResources });
    const definition = createResourceQuotaController({
      env,
      counted,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(syncPeriodMs === undefined ? {} : { syncPeriodMs }),
    });
    const onCreated = (controller: Controller): void =>
      counted.tell((namespace, evaluator) => {
        for (const key of quotasOf(informers, namespace, evaluator)) controller.wake(key);
      });
    return [{ ...over(definition), onCreated }, { runnable: counted }];
  }),
  entry('namespace-controller', ['namespace'], 'namespace-controller', ({ discover, settings }) => {
    const { concurrentNamespaceSyncs: concurrency, namespaceSyncPeriodMs: syncPeriodMs } = settings;
    return [
      over(
        createNamespaceController({
          discover,
          ...(concurrency === undefined ? {} : { concurrency }),
          ...(syncPeriodMs === undefined ? {} : { syncPeriodMs }),
        }),
      ),
    ];
  }),
  entry('serviceaccount-controller', ['serviceaccount'], 'service-account-controller', () => [
    over(createServiceAccountController()),
  ]),
  entry('garbage-collector-controller', ['garbagecollector'], 'generic-garbage-collector', (context) => {
    const { settings, wholeResources, ...rest } = context;
    if (settings.enableGarbageCollector === false) return [];
    const concurrency = settings.concurrentGcSyncs;
    return [
      {
        runnable: new GarbageCollector({
          ...rest,
          wholeResources: wholeResources(),
          ...(concurrency === undefined ? {} : { concurrency }),
        }),
      },
    ];
  }),
  entry('daemonset-controller', ['daemonset'], 'daemon-set-controller'),
  entry('job-controller', ['job'], 'job-controller'),
  entry(
    'deployment-controller',
    ['deployment'],
    'deployment-controller',
    ({ settings: { concurrentDeploymentSyncs: concurrency } }) => [
      over(createDeploymentController(concurrency === undefined ? {} : { concurrency })),
    ],
  ),
  entry(
    'replicaset-controller',
    ['replicaset'],
    'replicaset-controller',
    ({ settings: { concurrentReplicaSetSyncs: concurrency } }) => [
      over(createReplicaSetController(concurrency === undefined ? {} : { concurrency })),
    ],
  ),
  entry('horizontal-pod-autoscaler-controller', ['horizontalpodautoscaling'], 'horizontal-pod-autoscaler'),
  entry('disruption-controller', ['disruption'], 'disruption-controller'),
  entry('statefulset-controller', ['statefulset'], 'statefulset-controller'),
  entry('cronjob-controller', ['cronjob'], 'cronjob-controller'),
  entry('certificatesigningrequest-signing-controller', ['csrsigning'], 'certificate-controller'),
  entry('certificatesigningrequest-approving-controller', ['csrapproving'], 'certificate-controller'),
  entry('certificatesigningrequest-cleaner-controller', ['csrcleaner'], 'certificate-controller'),
  entry('ttl-controller', ['ttl'], 'ttl-controller', () => [over(createTtlController())]),
  entry('bootstrap-signer-controller', ['bootstrapsigner'], 'bootstrap-signer', undefined, false),
  entry('token-cleaner-controller', ['tokencleaner'], 'token-cleaner', undefined, false),
  entry('node-ipam-controller', ['nodeipam'], 'node-controller'),
  entry('node-lifecycle-controller', ['nodelifecycle'], 'node-controller', ({ settings }) => {
    const [monitor, taints, assigned] = createNodeLifecycleControllers(settings.nodeMonitor ?? {});
    return [over(monitor), over(taints), over(assigned)];
  }),
  entry('taint-eviction-controller', [], 'node-controller', () => [over(createTaintEvictionController())]),
  entry('persistentvolume-binder-controller', ['persistentvolume-binder'], 'persistent-volume-binder'),
  entry('persistentvolume-attach-detach-controller', ['attachdetach'], 'attachdetach-controller'),
  entry('persistentvolume-expander-controller', ['persistentvolume-expander'], 'expand-controller'),
  entry('clusterrole-aggregation-controller', ['clusterrole-aggregation'], 'clusterrole-aggregation-controller', () => [
    over(createClusterRoleAggregationController()),
  ]),
  entry('persistentvolumeclaim-protection-controller', ['pvc-protection'], 'pvc-protection-controller'),
  entry('persistentvolume-protection-controller', ['pv-protection'], 'pv-protection-controller'),
  entry('volumeattributesclass-protection-controller', [], 'volumeattributesclass-protection-controller'),
  entry('ttl-after-finished-controller', ['ttl-after-finished'], 'ttl-after-finished-controller'),
  entry(
    'root-ca-certificate-publisher-controller',
    ['root-ca-cert-publisher'],
    'root-ca-cert-publisher',
    ({ settings: { rootCa } }) => (rootCa === undefined ? [] : [over(createRootCaPublisher({ rootCa }))]),
  ),
  entry('ephemeral-volume-controller', ['ephemeral-volume'], 'ephemeral-volume-controller'),
  entry('resourceclaim-controller', ['resource-claim-controller'], 'resource-claim-controller'),
  entry(
    'legacy-serviceaccount-token-cleaner-controller',
    ['legacy-service-account-token-cleaner'],
    'legacy-service-account-token-cleaner',
  ),
  entry(
    'validatingadmissionpolicy-status-controller',
    ['validatingadmissionpolicy-status'],
    'validatingadmissionpolicy-status-controller',
  ),
  entry('service-cidr-controller', [], 'service-cidrs-controller'),
];
