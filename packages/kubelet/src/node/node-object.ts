// The Node a kubelet registers, and the status it keeps (spec/node.md §1.1–1.3). Pure.

import type { Node, NodeCondition, NodeStatus } from '@homeostat/api/types/core-v1';
import { formatTime, parseQuantity, Quantity } from '@homeostat/machinery';
import { kubeletPort, kubeletVersion, type NodeIdentity } from './node-definition.ts';

export const attachAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';

const defaultCapacity: Readonly<Record<string, string>> = {
  cpu: '8',
  'ephemeral-storage': '100Gi',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '32Gi',
  pods: '110',
};

const declaredFeatures = [
  'ExtendWebSocketsToKubelet',
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

/** Hard eviction keeps this much memory back. */
const reservedMemory = '100Mi';

/** The node as it is created; it is not ready before its runtime has been asked. */
export function initialNode(identity: NodeIdentity, nowMs: number): Node {
  const { definition } = identity;
  const { name, taints = [], providerID } = definition;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...defaultLabels(identity), ...ownLabels(definition.labels ?? {}) },
      annotations: { [attachAnnotation]: 'true' },
    },
    spec: {
      ...(taints.length === 0 ? {} : { taints }),
      ...(providerID === undefined ? {} : { providerID }),
    },
    status: nodeStatus(identity, undefined, runtimeUnchecked, nowMs),
  };
}

export function defaultLabels({ definition, operatingSystem, architecture }: NodeIdentity): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': operatingSystem,
    'kubernetes.io/arch': architecture,
    'kubernetes.io/hostname': definition.name,
    'kubernetes.io/os': operatingSystem,
  };
}

/** Of the user's labels those that a node may give itself (KEP-279); the others are an administrator's. */
export function ownLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => isOwnLabel(key)));
}

const ownKeys: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);

function isOwnLabel(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const within = (suffix: string): boolean => domain === suffix || domain.endsWith(`.${suffix}`);
  if (!within('kubernetes.io') && !within('k8s.io')) return true;
  return ownKeys.has(key) || within('kubelet.kubernetes.io') || within('node.kubernetes.io');
}

/** Whether the node is ready, and if not, why. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly message: string };

const runtimeUnchecked: Readiness = {
  ready: false,
  message: 'container runtime status check may not have completed yet',
};

/** The whole status. `old`: the one the API server has; what is not the kubelet's is kept. */
export function nodeStatus(
  identity: NodeIdentity,
  old: NodeStatus | undefined,
  readiness: Readiness,
  nowMs: number,
): NodeStatus {
  const { definition, hostIP } = identity;
  const capacity = { ...old?.capacity, ...canonical({ ...defaultCapacity, ...definition.capacity }) };
  return {
    ...old,
    addresses: [
      { type: 'InternalIP', address: hostIP },
      { type: 'Hostname', address: definition.name },
    ],
    capacity,
    allocatable: allocatableOf(capacity),
    nodeInfo: {
      machineID: identity.machineId,
      systemUUID: identity.systemUuid,
      bootID: identity.bootId,
      kernelVersion: identity.kernelVersion,
      osImage: identity.osImage,
      containerRuntimeVersion: identity.runtimeVersion,
      kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: identity.operatingSystem,
      architecture: identity.architecture,
    },
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
    runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: true } }],
    features: { supplementalGroupsPolicy: true },
    conditions: nodeConditions(old?.conditions ?? [], readiness, nowMs),
    declaredFeatures,
  };
}

function canonical(list: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(list).map(([name, quantity]) => [
      name,
      name === 'memory' || name === 'ephemeral-storage'
        ? Quantity.of(parseQuantity(quantity).scaledBigInt(0), 'BinarySI').toString()
        : parseQuantity(quantity).toString(),
    ]),
  );
}

function allocatableOf(capacity: Readonly<Record<string, string>>): Record<string, string> {
  const allocatable: Record<string, string> = { ...capacity };
  const memory = parseQuantity(capacity['memory'] ?? '0').sub(parseQuantity(reservedMemory));
  allocatable['memory'] = memory.sign < 0 ? '0' : memory.toString();
  const storage = parseQuantity(capacity['ephemeral-storage'] ?? '0').scaledBigInt(0);
  allocatable['ephemeral-storage'] = Quantity.of(storage - storage / 10n).toString();
  return allocatable;
}

interface Wanted {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const pressureConditions: readonly Wanted[] = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
];

function nodeConditions(old: readonly NodeCondition[], readiness: Readiness, nowMs: number): readonly NodeCondition[] {
  const ready: Wanted = readiness.ready
    ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
    : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: readiness.message };
  const now = formatTime(nowMs);
  const own = new Map<string, NodeCondition>();
  for (const wanted of [...pressureConditions, ready]) {
    const before = old.find(({ type }) => type === wanted.type);
    const same = before?.status === wanted.status;
    own.set(wanted.type, {
      type: wanted.type,
      status: wanted.status,
      lastHeartbeatTime: now,
      lastTransitionTime: same ? (before.lastTransitionTime ?? now) : now,
      // Of pressures the words change with the status alone.
      reason: same && wanted.type !== 'Ready' ? (before.reason ?? wanted.reason) : wanted.reason,
      message: same && wanted.type !== 'Ready' ? (before.message ?? wanted.message) : wanted.message,
    });
  }
  const kept = old.map((condition) => own.get(condition.type) ?? condition);
  const added = [...own.values()].filter(({ type }) => !old.some((condition) => condition.type === type));
  return [...kept, ...added];
}
