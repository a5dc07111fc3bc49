// Pods, nodes and plugin handles for this package's tests: small, valid, and different only in what a test says.

import { createVirtualEnv, type Env, type VirtualClock } from '@homeostat/base';
import type { Container, Node, Pod, PodSpec, PodStatus } from '@homeostat/api/types/core-v1';
import type { KubeObject, ObjectMeta } from '@homeostat/machinery';
import { type Client, resourceId, type ResourceType } from '@homeostat/client';
import { InformerFactory, type LabelMatch, type Lister } from '@homeostat/runtime';
import { NodeInfo } from './cache/node-info.ts';
import { Snapshot } from './cache/snapshot.ts';
import { CycleState } from './framework/cycle-state.ts';
import type { Plugin, PluginHandle } from './framework/plugin.ts';
import { type PodInfo, podInfoOf } from './framework/pod-info.ts';
import { codeOf, type StatusCode, type Verdict } from './framework/status.ts';
import { createSchedulerMetrics } from './metrics/scheduler-metrics.ts';

export interface PodParts extends ObjectMeta {
  readonly spec?: Partial<PodSpec>;
  readonly status?: PodStatus;
  /** Requests of its one container. */
  readonly requests?: Readonly<Record<string, string>>;
}

export function newPod(name: string, parts: PodParts = {}): Pod {
  const { spec, status, requests, ...metadata } = parts;
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, ...metadata },
    spec: { schedulerName: 'default-scheduler', containers: [newContainer(requests)], ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

export function newContainer(
  requests: Readonly<Record<string, string>> = {},
  more: Partial<Container> = {},
): Container {
  return { name: 'c', image: 'img:1', resources: { requests }, ...more };
}

export function newPodInfo(name: string, parts: PodParts = {}): PodInfo {
  return podInfoOf(newPod(name, parts));
}

export interface NodeParts extends ObjectMeta {
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly spec?: Node['spec'];
  readonly status?: Node['status'];
}

export function newNode(name: string, parts: NodeParts = {}): Node {
  const { allocatable = { cpu: '4', memory: '8Gi', pods: '110' }, spec, status, ...metadata } = parts;
  return {
    metadata: { name, uid: `uid-${name}`, ...metadata },
    ...(spec === undefined ? {} : { spec }),
    status: { allocatable, ...status },
  };
}

export function newNodeInfo(node: Node, pods: readonly Pod[] = []): NodeInfo {
  const info = new NodeInfo(node.metadata?.name ?? '');
  info.setNode(node);
  for (const pod of pods) info.addPod(podInfoOf(pod));
  return info;
}

/** A snapshot of nodes, in the order given. */
export function snapshotOf(nodes: readonly NodeInfo[]): Snapshot {
  const snapshot = new Snapshot();
  for (const node of nodes) snapshot.put(node);
  snapshot.order(nodes.map(({ name }) => name));
  return snapshot;
}

/** What a plugin says of a pod on a node, PreFilter included: `Success`, or code and reasons. */
export function filterWith(plugin: Plugin, pod: PodInfo, node: NodeInfo, all: readonly NodeInfo[] = [node]): string {
  const state = new CycleState();
  const outcome = plugin.preFilter?.(state, pod, all);
  if (outcome?.verdict !== undefined) return describe(outcome.verdict);
  return describe(plugin.filter?.(state, pod, node));
}

/** Final scores of nodes, or `Skip`. */
export function scoreWith(plugin: Plugin, pod: PodInfo, nodes: readonly NodeInfo[]): readonly number[] | StatusCode {
  const state = new CycleState();
  const verdict = plugin.preScore?.(state, pod, nodes);
  if (verdict !== undefined) return verdict.code;
  const scores = Float64Array.from(nodes, (node) => plugin.score?.(state, pod, node) ?? NaN);
  plugin.normalizeScores?.(state, pod, { nodes, scores });
  return Array.from(scores);
}

export function describe(verdict: Verdict): string {
  const code = codeOf(verdict);
  return verdict === undefined || verdict.reasons.length === 0 ? code : `${code}: ${verdict.message}`;
}

/** What the first matching registration of a plugin says of an event; `none` when none matches. */
export function hintOf(
  plugin: Plugin,
  pod: PodInfo,
  event: { readonly resource: string; readonly action: number; readonly old?: KubeObject; readonly now?: KubeObject },
): string {
  const registrations = (plugin.events ?? []).filter(
    ({ resource, action }) => resource === event.resource && (action & event.action) === event.action,
  );
  if (registrations.length === 0) return 'none';
  const hints = registrations.map(({ hint }) => hint?.(pod, event.old, event.now) ?? 'Queue');
  return hints.includes('Queue') ? 'Queue' : 'Skip';
}

/** A handle whose informers hold the objects given; what plugins would send goes to `client`. */
export function newHandle(
  options: HandleOptions = {},
): PluginHandle & { readonly env: Env & { readonly clock: VirtualClock } } {
  const env = createVirtualEnv();
  const client = (options.client ?? {}) as Client;
  const informers = new StaticInformers({ client, env, objects: options.objects ?? [] });
  return {
    client,
    informers,
    metrics: createSchedulerMetrics(env),
    pods: new StaticLister<Pod>(options.pods ?? []),
    snapshot: snapshotOf(options.nodes ?? []),
    schedulerName: 'default-scheduler',
    nominatedPodsFor: () => [],
    recordEvent: () => {},
    runFiltersWithNominatedPods: () => undefined,
    runAddPod: () => undefined,
    runRemovePod: () => undefined,
    waitingPod: () => undefined,
    waitingPods: () => [],
    cancelBinding: () => false,
    activate: () => {},
    clearNomination: async () => {},
    spawn: () => {},
    ...options.overrides,
    env,
  };
}

export interface HandleOptions {
  readonly client?: Partial<Client>;
  readonly nodes?: readonly NodeInfo[];
  readonly pods?: readonly Pod[];
  /** What listers of other resources hold. */
  readonly objects?: readonly (readonly [ResourceType, readonly KubeObject[]])[];
  readonly overrides?: Partial<PluginHandle>;
}

class StaticInformers extends InformerFactory {
  readonly #objects: ReadonlyMap<string, readonly KubeObject[]>;

  constructor({ client, env, objects }: { client: Client; env: Env; objects: NonNullable<HandleOptions['objects']> }) {
    super({ client, env });
    this.#objects = new Map(objects.map(([resource, list]) => [resourceId(resource), list]));
  }

  override lister<T extends KubeObject>(resource: ResourceType<T>): Lister<T> {
    return new StaticLister<T>((this.#objects.get(resourceId(resource)) ?? []) as readonly T[]);
  }
}

class StaticLister<T extends KubeObject> implements Lister<T> {
  readonly #objects: readonly T[];

  constructor(objects: readonly T[]) {
    this.#objects = objects;
  }

  get size(): number {
    return this.#objects.length;
  }

  get(namespace: string | undefined, name: string): T | undefined {
    return this.#objects.find(
      ({ metadata }) => metadata?.name === name && (metadata.namespace ?? '') === (namespace ?? ''),
    );
  }

  getByKey(key: string): T | undefined {
    return this.#objects.find(({ metadata }) => key === `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`);
  }

  list(namespace?: string, selector?: LabelMatch): readonly T[] {
    return this.#objects.filter(
      ({ metadata }) =>
        (namespace === undefined || metadata?.namespace === namespace) && (selector?.(metadata?.labels ?? {}) ?? true),
    );
  }

  byIndex(): readonly T[] {
    return [];
  }
}
