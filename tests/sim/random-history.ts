// One random history of a whole cluster from a seed: users who make, change and delete things; nodes, networks and controller managers
// that fail. When the faults stop the cluster must come to rest, and all checkers must hold.

import type { Json, KubeObject } from '@homeostat/machinery';
import type { ConfigMap, Namespace, ResourceQuota } from '@homeostat/api/types/core-v1';
import { createSeededRandom, isApiError, type LogLine, type Random } from '@homeostat/base';
import type { ResourceType } from '@homeostat/client';
import {
  configMaps,
  deployments,
  namespaces,
  nodes,
  pods,
  replicaSets,
  resourceQuotas,
  services,
} from '@homeostat/client/resources';
import {
  checkEndings,
  checkPodCreations,
  checkQuotas,
  createTestCluster,
  randomFaults,
  standardCheckers,
  type TestCluster,
} from '@homeostat/testing';
import { newDeployment, newReplicaSet, newService } from '../controllers/fixtures/objects.ts';

export interface HistoryOptions {
  readonly seed: number;
  /** Number of things users do; default 30. */
  readonly steps?: number;
  /** Share of requests that fail; default 0.04. */
  readonly faultRate?: number;
  /** Lose single watch events too. */
  readonly swallow?: boolean;
  readonly sink?: (line: LogLine) => void;
  /** Looks at the cluster before it is taken down. */
  readonly inspect?: (cluster: TestCluster) => Promise<void>;
}

export interface HistoryResult {
  readonly problems: readonly string[];
  /** What was done, for the reader of a failure. */
  readonly story: readonly string[];
}

const policies = ['Background', 'Foreground', 'Orphan'] as const;
const appNamespaces = ['default', 'extra'] as const;

export async function randomHistory(options: HistoryOptions): Promise<HistoryResult> {
  const { seed, steps = 30, faultRate = 0.04, swallow = false } = options;
  const random = createSeededRandom(seed ^ 0x0dd_5eed);
  const story: string[] = [];
  await using cluster = await createTestCluster({
    seed,
    nodes: 4,
    ...(options.sink === undefined ? {} : { sink: options.sink, level: 'error' as const }),
  });
  const user = new RandomUser(cluster, random, story);
  for (const rule of randomFaults({ rate: faultRate, swallow })) cluster.faults.add(rule);
  try {
    for (let step = 0; step < steps; step++) {
      await user.act();
      await cluster.advance(random.int(4) === 0 ? random.int(60_000) : random.int(3_000));
    }
    cluster.faults.clear();
    story.push('faults stop');
    await user.comeToRest();
    // A lost event is found by the next comparison of caches with the server.
    if (swallow) await cluster.advance(1_300_000);
    await cluster.quiesce();
    await cluster.advance(60_000);
    await cluster.quiesce();
  } catch (error) {
    await options.inspect?.(cluster);
    return { problems: [error instanceof Error ? `${error.message}${causeOf(error)}` : String(error)], story };
  }
  await options.inspect?.(cluster);
  const adopted = story.some((line) => line.includes('Orphan') || line.startsWith('relabel'));
  const overdone = adopted ? [] : checkPodCreations(await cluster.history());
  return { problems: [...(await cluster.check([...standardCheckers, checkEndings, checkQuotas])), ...overdone], story };
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? `: ${error.cause.stack ?? error.cause.message}` : '';
}

class RandomUser {
  readonly #cluster: TestCluster;
  readonly #random: Random;
  readonly #story: string[];
  #managers = 1;

  constructor(cluster: TestCluster, random: Random, story: string[]) {
    this.#cluster = cluster;
    this.#random = random;
    this.#story = story;
  }

  async act(): Promise<void> {
    const deeds: readonly (readonly [weight: number, deed: () => Promise<void>])[] = [
      [5, () => this.#createDeployment()],
      [5, () => this.#changeDeployment()],
      [2, () => this.#deleteOwner()],
      [2, () => this.#createReplicaSet()],
      [2, () => this.#service()],
      [3, () => this.#podTrouble()],
      [2, () => this.#nodeTrouble()],
      [2, () => this.#ownedMaps()],
      [1, () => this.#namespaceTrouble()],
      [1, () => this.#managerTrouble()],
      [1, () => this.#quotaTrouble()],
    ];
    let at = this.#random.int(deeds.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, deed] of deeds) {
      if (at < weight) return deed();
      at -= weight;
    }
  }

  /** Undoes what would keep the cluster from rest for good. */
  async comeToRest(): Promise<void> {
    const { nodes: pool } = this.#cluster;
    for (const name of pool.names) {
      if (!pool.isRunning(name)) pool.startNode(name);
      await this.#try(
        this.#cluster.admin.patch(nodes, { name, type: 'merge', patch: { spec: { unschedulable: null } } }),
      );
    }
    for (const deployment of this.#cluster.list(deployments))
      if (deployment.spec?.paused === true) await this.#patch(deployments, deployment, { spec: { paused: null } });
    for (const quota of this.#cluster.list(resourceQuotas))
      await this.#patch(resourceQuotas, quota, { spec: { hard: { pods: '1000' } } });
    if (!this.#cluster.processes.some((process) => process.alive)) this.#startManager();
  }

  async #createDeployment(): Promise<void> {
    const name = `app-${this.#random.int(4)}`;
    const namespace = this.#pick(appNamespaces);
    const strategy =
      this.#random.int(4) === 0
        ? { type: 'Recreate' }
        : {
            type: 'RollingUpdate',
            rollingUpdate: {
              maxSurge: this.#pick([0, 1, 2, '25%', '50%']),
              maxUnavailable: this.#pick([1, 2, '25%', '50%']),
            },
          };
    const spec = {
      strategy,
      minReadySeconds: this.#pick([0, 0, 0, 5]),
      revisionHistoryLimit: this.#pick([0, 1, 10]),
      progressDeadlineSeconds: this.#pick([30, 600]),
    };
    await this.#create(deployments, newDeployment(name, { namespace, replicas: this.#random.int(7), spec }));
  }

  async #changeDeployment(): Promise<void> {
    const deployment = this.#any(deployments);
    if (deployment === undefined) return;
    const change = this.#pick(['scale', 'scale', 'image', 'image', 'pause', 'both'] as const);
    const replicas = { replicas: this.#random.int(9) };
    const image = `good:${this.#random.int(3)}`;
    const template = { template: { spec: { containers: [{ name: 'main', image }] } } };
    const spec =
      change === 'scale'
        ? replicas
        : change === 'image'
          ? template
          : change === 'both'
            ? { ...replicas, ...template }
            : { paused: deployment.spec?.paused === true ? null : true };
    await this.#patch(deployments, deployment, { spec });
  }

  async #createReplicaSet(): Promise<void> {
    // Sometimes with the labels of a Deployment's pods, so that the two compete for orphans.
    const labels = { app: this.#random.int(3) === 0 ? `app-${this.#random.int(4)}` : 'set' };
    const name = `set-${this.#random.int(3)}`;
    await this.#create(replicaSets, newReplicaSet(name, { replicas: this.#random.int(5), labels }));
  }

  async #deleteOwner(): Promise<void> {
    const resource = this.#pick([deployments, deployments, replicaSets] as const) as ResourceType;
    const object = this.#any(resource);
    if (object !== undefined) await this.#delete(resource, object, this.#pick(policies));
  }

  async #service(): Promise<void> {
    const present = this.#any(services, 'default');
    const what = this.#random.int(3);
    if (present === undefined || present.metadata?.name === 'kubernetes' || what === 0) {
      const app = `app-${this.#random.int(4)}`;
      await this.#create(services, newService(`svc-${this.#random.int(3)}`, { app }));
    } else if (what === 1) await this.#delete(services, present, 'Background');
    else await this.#patch(services, present, { spec: { selector: { app: `app-${this.#random.int(4)}` } } });
  }

  async #podTrouble(): Promise<void> {
    const pod = this.#any(pods);
    if (pod === undefined) return;
    const { namespace, name = '' } = pod.metadata ?? {};
    if (this.#random.int(3) > 0) {
      const gracePeriodSeconds = this.#pick([0, 1, 20]);
      this.#story.push(`delete pod ${namespace}/${name} with grace ${gracePeriodSeconds}`);
      await this.#try(this.#cluster.admin.delete(pods, { namespace, name, gracePeriodSeconds }));
    } else {
      const app = this.#pick(['stray', `app-${this.#random.int(4)}`]);
      this.#story.push(`relabel pod ${namespace}/${name} as ${app}`);
      await this.#try(
        this.#cluster.admin.patch(pods, { namespace, name, type: 'merge', patch: { metadata: { labels: { app } } } }),
      );
    }
  }

  async #nodeTrouble(): Promise<void> {
    const { nodes: pool } = this.#cluster;
    const name = this.#pick(pool.names);
    const what = this.#random.int(3);
    if (what === 2) {
      const unschedulable = this.#random.int(2) === 0 ? true : null;
      this.#story.push(`${unschedulable === true ? 'cordon' : 'uncordon'} ${name}`);
      await this.#try(this.#cluster.admin.patch(nodes, { name, type: 'merge', patch: { spec: { unschedulable } } }));
      return;
    }
    this.#story.push(`${pool.isRunning(name) ? 'stop' : 'start'} ${name}`);
    if (pool.isRunning(name)) pool.stopNode(name);
    else pool.startNode(name);
    if (this.#random.int(2) === 0) await this.#cluster.advance(this.#random.int(120_000));
  }

  async #ownedMaps(): Promise<void> {
    const existing = this.#cluster.list(configMaps, 'default').filter((map) => map.metadata?.name?.startsWith('map-'));
    if (existing.length > 3 && this.#random.int(2) === 0) {
      await this.#delete(configMaps, this.#pick(existing), this.#pick(policies));
      return;
    }
    const owners = existing.filter(() => this.#random.int(3) === 0).slice(0, 2);
    const ownerReferences = owners.map((owner) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: owner.metadata?.name ?? '',
      uid: owner.metadata?.uid ?? '',
      blockOwnerDeletion: this.#random.int(2) === 0,
    }));
    const name = `map-${this.#random.int(12)}`;
    await this.#create(configMaps, { metadata: { name, namespace: 'default', ownerReferences } } as ConfigMap);
  }

  async #namespaceTrouble(): Promise<void> {
    const extra = this.#cluster.get(namespaces, undefined, 'extra');
    if (extra === undefined) await this.#create(namespaces, { metadata: { name: 'extra' } } as Namespace);
    else if (this.#random.int(2) === 0) await this.#delete(namespaces, extra, 'Background');
  }

  async #managerTrouble(): Promise<void> {
    const process = this.#cluster.processes.find((each) => each.alive);
    if (process === undefined) return this.#startManager();
    const how = this.#pick(['crash', 'stop'] as const);
    this.#story.push(`${how} ${process.identity}`);
    await this.#cluster.run(how === 'crash' ? process.crash() : process.stop());
    await this.#cluster.advance(this.#random.int(30_000));
    this.#startManager();
  }

  async #quotaTrouble(): Promise<void> {
    const quota = this.#any(resourceQuotas);
    const hard = { pods: String(this.#random.int(30)), 'count/deployments.apps': '4' };
    const metadata = { name: 'quota', namespace: this.#pick(appNamespaces) };
    if (quota === undefined) await this.#create(resourceQuotas, { metadata, spec: { hard } } as ResourceQuota);
    else if (this.#random.int(3) === 0) await this.#delete(resourceQuotas, quota, 'Background');
    else await this.#patch(resourceQuotas, quota, { spec: { hard } });
  }

  #startManager(): void {
    const identity = `kcm-${++this.#managers}`;
    this.#story.push(`start ${identity}`);
    this.#cluster.startControllerManager({ identity });
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#random.int(items.length)] as T;
  }

  #any<T extends KubeObject>(resource: ResourceType<T>, namespace?: string): T | undefined {
    const all = this.#cluster
      .list(resource, namespace)
      .filter(({ metadata }) => metadata?.namespace === 'default' || metadata?.namespace === 'extra');
    return all.length === 0 ? undefined : this.#pick(all);
  }

  async #create<T extends KubeObject>(resource: ResourceType<T>, object: T): Promise<void> {
    const { namespace, name } = object.metadata ?? {};
    this.#story.push(
      `create ${resource.kind} ${namespace}/${name} ${JSON.stringify((object as { spec?: unknown }).spec ?? {})}`,
    );
    await this.#try(this.#cluster.admin.create(resource, { object }));
  }

  async #patch<T extends KubeObject>(resource: ResourceType<T>, object: T, patch: object): Promise<void> {
    const { namespace, name = '' } = object.metadata ?? {};
    this.#story.push(`patch ${resource.kind} ${namespace}/${name} ${JSON.stringify(patch)}`);
    await this.#try(this.#cluster.admin.patch(resource, { namespace, name, type: 'strategic', patch: patch as Json }));
  }

  async #delete(
    resource: ResourceType,
    object: KubeObject,
    propagationPolicy: (typeof policies)[number],
  ): Promise<void> {
    const { namespace, name = '' } = object.metadata ?? {};
    this.#story.push(`delete ${resource.kind} ${namespace}/${name} ${propagationPolicy}`);
    await this.#try(this.#cluster.admin.delete(resource, { namespace, name, propagationPolicy }));
  }

  // Users are told no at times: that is part of the story.
  async #try(deed: Promise<unknown>): Promise<void> {
    try {
      await this.#cluster.run(deed);
    } catch (error) {
      if (!isApiError(error)) throw error;
      this.#story.push(`  refused: ${error.message}`);
    }
  }
}
