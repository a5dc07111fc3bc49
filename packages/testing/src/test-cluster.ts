// A whole control plane in one process, on a virtual clock, from a seed. The API server is the real one; controllers are real; time, chance
// and the network between them are the test's. One seed, one history, byte for byte.

import {
  createSeededRandom,
  createVirtualEnv,
  type Env,
  type LogLevel,
  type LogLine,
  Scope,
  StandstillError,
  type VirtualClock,
} from '@homeostat/base';
import type { WebhookCaller } from '@homeostat/apiserver';
import {
  type Client,
  createClient,
  createInProcessTransport,
  type ResourceType,
  type UserInfo,
} from '@homeostat/client';
import {
  adminUser,
  type Cluster,
  type ClusterOptions,
  type Component,
  createCluster,
  nodesComponent,
  numberedNodes,
  schedulerComponent,
} from '@homeostat/cluster';
import type { NodeDefinition, NodePool } from '@homeostat/kubelet';
import type { KubeObject } from '@homeostat/machinery';
import type { MemoryStore } from '@homeostat/storage/memory';
import { checkDeployments, checkReplicaSets } from './checkers/workloads.ts';
import { checkEndpoints } from './checkers/endpoints.ts';
import type { Checker } from './checkers/checker.ts';
import { checkOwnership } from './checkers/ownership.ts';
import {
  type ControllerManagerProcess,
  type ControllerManagerProcessOptions,
  startControllerManager,
} from './controller-manager-process.ts';
import { Complaints } from './complaints.ts';
import { FaultInjector } from './faults/fault-injector.ts';
import { forkBootedStore } from './fixture/booted-store.ts';
import { testSecurity } from './fixture/security.ts';
import { type HistoryEntry, readHistory } from './history.ts';
import type { OperatorComponent, OperatorComponentOptions } from './operator-component.ts';
import { type OperatorProcess, startOperator } from './operator-process.ts';
import { unrest } from './quiescence.ts';
import { registeredWebhooks, WebhookRegistry } from './webhooks/webhook-registry.ts';
import { StoreState } from './store-state.ts';

export interface TestClusterOptions {
  /** Decides all chance; default 1. Print it when a test fails. */
  readonly seed?: number;
  /** Wall time at the start, epoch milliseconds; default 2026-01-01T00:00:00Z. */
  readonly startMs?: number;
  /** Turns at one instant of virtual time after which a test fails rather than hang; default `turnsMaxDefault` of base, 10,000. */
  readonly turnsMax?: number;
  /** Controller managers to start: `false` none, `true` (default) one without election, or what each is like. */
  readonly controllerManagers?: boolean | readonly ControllerManagerProcessOptions[];
  /** Simulated nodes: so many, named `node-1` and so on, or what they are like; default none. */
  readonly nodes?: number | readonly NodeDefinition[];
  /** Whether the scheduler runs; default: when there are nodes. */
  readonly scheduler?: boolean;
  /** What else runs, e.g. controllers of your own. Faults apply to them. */
  readonly components?: readonly Component[];
  readonly server?: ClusterOptions['server'];
  /** Answers the API server's calls of admission webhooks that no operator of the test serves; without it they fail. */
  readonly webhookCaller?: WebhookCaller;
  /** Receives log lines from `level` up (default warn); default drops them. */
  readonly sink?: (line: LogLine) => void;
  readonly level?: LogLevel;
}

export interface WaitOptions {
  /** Virtual milliseconds; default 10 minutes. */
  readonly limitMs?: number;
  /** What is waited for, for the message. */
  readonly what?: string;
}

/** A running test cluster. Nothing happens in it while the test itself runs: time moves in the methods below. */
export interface TestCluster extends AsyncDisposable {
  readonly seed: number;
  readonly clock: VirtualClock;
  /** Clock, chance, log and metrics of the cluster, for what is put together by hand. */
  readonly env: Env;
  readonly store: MemoryStore;
  readonly cluster: Cluster;
  /** A client with all rights, which faults do not hit. */
  readonly admin: Client;
  readonly faults: FaultInjector;
  /** The simulated nodes, to stop and start. @throws Error when the cluster was made without */
  readonly nodes: NodePool;
  /** Controller managers, those that ended included. */
  readonly processes: readonly ControllerManagerProcess[];
  /** Operators started with {@link startOperator}, those that ended included. */
  readonly operators: readonly OperatorProcess[];
  /** A client that acts as `user`; faults hit it when `faulty` is set. */
  clientAs(user: UserInfo, options?: { readonly userAgent?: string; readonly faulty?: boolean }): Client;
  /** Starts one more controller manager. */
  startControllerManager(options: ControllerManagerProcessOptions): ControllerManagerProcess;
  /**
   * Starts an operator that can be stopped, crash and be started anew. Faults apply to it, and {@link quiesce} waits for it.
   *
   * @example
   * const first = cluster.startOperator({ name: 'memcached', definitions, controllers });
   * await cluster.waitFor(() => cluster.serves(memcacheds));
   * await cluster.run(first.crash());
   * cluster.startOperator({ name: 'memcached', definitions, controllers });
   */
  startOperator(options: OperatorComponentOptions): OperatorProcess;
  /** Drives the clock until `promise` settles and returns its value. */
  run<T>(promise: Promise<T>): Promise<T>;
  /** Lets everything run that can run now, without moving time. */
  settle(): Promise<void>;
  /** Moves time on; everything due in between happens in order. */
  advance(deltaMs: number): Promise<void>;
  /** Moves time on until `condition` holds. @throws when the limit is reached, with the seed and what parts of the cluster complained about */
  waitFor(condition: () => boolean, options?: WaitOptions): Promise<void>;
  /** Moves time on until the cluster is at rest, operators of {@link startOperator} included. @throws with what is still to be done */
  quiesce(options?: { readonly limitMs?: number }): Promise<StoreState>;
  /** What the API server's cache has now; undefined: no such object. Shared: never change it. */
  get<T extends KubeObject>(resource: ResourceType<T>, namespace: string | undefined, name: string): T | undefined;
  /** All objects, of a namespace or of all, as the API server's cache has them now. */
  list<T extends KubeObject>(resource: ResourceType<T>, namespace?: string): readonly T[];
  /** Whether the API server serves a resource now, e.g. one of a CustomResourceDefinition. */
  serves(resource: ResourceType): boolean;
  /** Everything the store has now. */
  state(): Promise<StoreState>;
  /** Every change since the start. */
  history(): Promise<readonly HistoryEntry[]>;
  /** Runs the checkers on the present state; default all. Meant for clusters at rest. */
  check(checkers?: readonly Checker[]): Promise<readonly string[]>;
  /** Ends everything and waits for it. */
  stop(): Promise<void>;
}

/** The checkers that hold for every cluster at rest. */
export const standardCheckers: readonly Checker[] = [
  checkOwnership,
  checkReplicaSets,
  checkDeployments,
  checkEndpoints,
];

/** Starts a cluster; resolves when its API server answers and its controllers' caches are filled. */
export async function createTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { seed = 1 } = options;
  // Loading a module is real I/O, which the virtual clock can't see: it must not happen while rules are compiled in virtual time.
  await import('@homeostat/machinery/cel');
  const complaints = new Complaints();
  const env = createVirtualEnv({
    seed,
    level: options.level ?? 'warn',
    ...(options.startMs === undefined ? {} : { startMs: options.startMs }),
    ...(options.turnsMax === undefined ? {} : { turnsMax: options.turnsMax }),
    sink: (line) => {
      complaints.record(line);
      options.sink?.(line);
    },
  });
  const store = await forkBootedStore(env);
  const faults = new FaultInjector({
    clock: env.clock,
    random: createSeededRandom(seed ^ faultSeedMask),
    revision: () => store.revision,
    oldestRevision: () => store.compactedRevision,
  });
  const definitions = typeof options.nodes === 'number' ? numberedNodes(options.nodes) : (options.nodes ?? []);
  const nodes = definitions.length === 0 ? undefined : nodesComponent({ nodes: definitions, freeze: true });
  const webhooks = new WebhookRegistry();
  const cluster = createCluster({
    env,
    store,
    security: {
      ...testSecurity,
      webhookCaller: registeredWebhooks([webhooks, ...registriesOf(options.components ?? [])], options.webhookCaller),
    },
    server: { freeze: true, ...(nodes === undefined ? {} : { podLogs: nodes.podLogs }), ...options.server },
    components: [
      ...((options.scheduler ?? nodes !== undefined) ? [schedulerComponent()] : []),
      ...(nodes === undefined ? [] : [nodes]),
      ...(options.components ?? []),
    ],
    intercept: faults.intercept,
  });
  const test = new RunningTestCluster({
    seed,
    env,
    complaints,
    store,
    faults,
    cluster,
    webhooks,
    pool: await nodes?.pool,
  });
  await test.start(managersOf(options.controllerManagers ?? true));
  return test;
}

const faultSeedMask = 0x5a17_0f00;
const stepMs = 1_000;

function registriesOf(components: readonly (Component | OperatorComponent)[]): readonly WebhookRegistry[] {
  return components.flatMap((component) => ('webhooks' in component ? [component.webhooks] : []));
}

function managersOf(
  wanted: boolean | readonly ControllerManagerProcessOptions[],
): readonly ControllerManagerProcessOptions[] {
  if (typeof wanted === 'boolean') return wanted ? [{ identity: 'kcm-1' }] : [];
  return wanted;
}

interface Parts {
  readonly seed: number;
  readonly env: ReturnType<typeof createVirtualEnv>;
  readonly complaints: Complaints;
  readonly store: MemoryStore;
  readonly faults: FaultInjector;
  readonly cluster: Cluster;
  readonly webhooks: WebhookRegistry;
  readonly pool: NodePool | undefined;
}

class RunningTestCluster implements TestCluster {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly faults: FaultInjector;
  readonly cluster: Cluster;
  readonly admin: Client;
  readonly processes: ControllerManagerProcess[] = [];
  readonly operators: OperatorProcess[] = [];
  readonly env: Parts['env'];
  readonly #complaints: Complaints;
  readonly #scope = new Scope();
  readonly #startRevision: number;
  readonly #pool: NodePool | undefined;
  readonly #webhooks: WebhookRegistry;
  #failure: { readonly error: unknown } | undefined;

  constructor({ seed, env, complaints, store, faults, cluster, webhooks, pool }: Parts) {
    this.#webhooks = webhooks;
    this.#pool = pool;
    this.seed = seed;
    this.clock = env.clock;
    this.store = store;
    this.faults = faults;
    this.cluster = cluster;
    this.env = env;
    this.#complaints = complaints;
    this.#startRevision = store.revision;
    this.admin = this.clientAs(adminUser, { userAgent: 'test' });
  }

  get nodes(): NodePool {
    if (this.#pool === undefined)
      throw new Error('this test cluster has no simulated nodes: ask for them with `nodes`');
    return this.#pool;
  }

  async start(managers: readonly ControllerManagerProcessOptions[]): Promise<void> {
    this.#scope.spawn('cluster', (signal) =>
      this.cluster.run({ signal }).catch((error: unknown) => {
        this.#failure = { error };
        throw error;
      }),
    );
    await this.run(this.cluster.apiReady);
    for (const options of managers) this.startControllerManager(options);
    await this.run(this.cluster.ready);
    for (const { parts } of this.processes)
      await this.run(parts.informers.waitForSync(this.#scope.signal).catch(() => {}));
    await this.settle();
  }

  clientAs(user: UserInfo, options: { readonly userAgent?: string; readonly faulty?: boolean } = {}): Client {
    const { handle } = this.cluster.server;
    return createClient({
      transport: createInProcessTransport({
        handle: options.faulty === true ? this.faults.intercept(handle) : handle,
        user,
      }),
      env: this.env,
      userAgent: options.userAgent ?? user.username,
      onWarning: () => {},
    });
  }

  startControllerManager(options: ControllerManagerProcessOptions): ControllerManagerProcess {
    const handle = this.faults.intercept(this.cluster.server.handle);
    const process = startControllerManager(options, { env: this.env, handle });
    this.processes.push(process);
    return process;
  }

  startOperator(options: OperatorComponentOptions): OperatorProcess {
    const handle = this.faults.intercept(this.cluster.server.handle);
    const process = startOperator(options, { env: this.env, handle, webhooks: this.#webhooks });
    this.operators.push(process);
    return process;
  }

  async run<T>(promise: Promise<T>): Promise<T> {
    return this.#alive(() => this.clock.run(promise));
  }

  settle(): Promise<void> {
    return this.#alive(() => this.clock.settle());
  }

  advance(deltaMs: number): Promise<void> {
    return this.#alive(() => this.clock.advance(deltaMs));
  }

  async waitFor(
    condition: () => boolean,
    { limitMs = 600_000, what = 'the condition' }: WaitOptions = {},
  ): Promise<void> {
    const startMs = this.clock.monotonicMs();
    const failed = (): boolean => this.#failure !== undefined;
    try {
      await this.clock.runUntil(() => failed() || condition(), limitMs);
    } catch (error) {
      if (error instanceof StandstillError) throw this.#toldStandstill(error);
      const quietAfterMs = Math.round(this.clock.monotonicMs() - startMs);
      const quiet = quietAfterMs < limitMs - stepMs ? `; nothing happened any more after ${quietAfterMs} ms` : '';
      throw new Error(
        `waited ${limitMs} virtual ms in vain for ${what} (seed ${this.seed})${quiet}${this.#complaints.describe()}`,
        { cause: error },
      );
    }
    this.#throwFailure();
  }

  async quiesce({ limitMs = 3_600_000 }: { readonly limitMs?: number } = {}): Promise<StoreState> {
    const endMs = this.clock.monotonicMs() + limitMs;
    await this.settle();
    for (;;) {
      const state = await this.state();
      const problems = unrest(state, this.processes, this.operators);
      if (problems.length === 0) return state;
      if (this.clock.monotonicMs() >= endMs)
        throw new Error(
          `not at rest after ${limitMs} virtual ms (seed ${this.seed}):\n  ${problems.join('\n  ')}${this.#complaints.describe()}`,
        );
      await this.advance(stepMs);
    }
  }

  get<T extends KubeObject>(resource: ResourceType<T>, namespace: string | undefined, name: string): T | undefined {
    return this.cluster.server.host.reader(resource).get(namespace ?? '', name) as T | undefined;
  }

  list<T extends KubeObject>(resource: ResourceType<T>, namespace?: string): readonly T[] {
    return this.cluster.server.host.reader(resource).list(namespace) as readonly T[];
  }

  serves({ group, version, resource }: ResourceType): boolean {
    return this.cluster.server.host.resources.find(group, version, resource) !== undefined;
  }

  state(): Promise<StoreState> {
    return this.run(StoreState.read(this.store));
  }

  history(): Promise<readonly HistoryEntry[]> {
    return this.run(readHistory(this.store, this.#startRevision));
  }

  async check(checkers: readonly Checker[] = standardCheckers): Promise<readonly string[]> {
    const state = await this.state();
    return checkers.flatMap((checker) => checker(state));
  }

  async stop(): Promise<void> {
    this.faults.clear();
    for (const process of [...this.operators, ...this.processes])
      if (process.alive) await this.clock.run(process.stop());
    await this.clock.run(this.#scope.close());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #alive<T>(drive: () => Promise<T>): Promise<T> {
    this.#throwFailure();
    let value: T;
    try {
      value = await drive();
    } catch (error) {
      throw this.#toldStandstill(error);
    }
    this.#throwFailure();
    return value;
  }

  /** Whose keys come again and again is what the clock can't know. */
  #toldStandstill(error: unknown): unknown {
    if (!(error instanceof StandstillError)) return error;
    const controllers = [
      ...this.operators.flatMap(({ alive, operator }) => (alive ? operator.controllers : [])),
      ...this.processes.flatMap(({ alive, parts }) => (alive ? parts.controllers : [])),
    ];
    const busy = controllers.filter(({ queueLength }) => queueLength > 0).map(({ name }) => name);
    const told = busy.length === 0 ? '' : `; controllers with keys to look at: ${busy.join(', ')}`;
    return new Error(`${error.message}\n(seed ${this.seed})${told}${this.#complaints.describe()}`, { cause: error });
  }

  // A part that broke is told by the next thing the test does.
  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    for (const process of this.processes) {
      if (process.failure !== undefined) throw new Error(`${process.identity} failed`, { cause: process.failure });
    }
    for (const { name, failure } of this.operators) {
      if (failure !== undefined) throw new Error(`the operator ${name} failed`, { cause: failure });
    }
  }
}
