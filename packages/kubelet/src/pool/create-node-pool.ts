// Many nodes in one process: what they share (caches, the queue of due work, the writers, limits), and the handles by which tests and demos
// stop and start them. One node alone is a pool of one.

import type { Node, Pod } from '@homeostat/api/types/core-v1';
import { type Clock, createDeferred, type Env, invariant, Scope } from '@homeostat/base';
import type { Client } from '@homeostat/client';
import { nodes as nodeResource, pods as podResource } from '@homeostat/client/resources';
import { newBadRequest } from '@homeostat/machinery';
import { type Change, createEventRecorder, type EventRecorder, InformerFactory } from '@homeostat/runtime';
import { NodeAgent } from '../node/node-agent.ts';
import type { NodeDefinition, NodeIdentity } from '../node/node-definition.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { ReferenceReader } from '../references/reference-reader.ts';
import { AddressPool, parseRange } from '../simulated/address-pool.ts';
import { fingerprint } from '../simulated/fingerprint.ts';
import { SimulatedRuntime } from '../simulated/simulated-runtime.ts';
import { StatusWriter } from '../worker/status-writer.ts';
import { Gate } from './gate.ts';
import { createHeapClock } from './heap-clock.ts';
import { blocksFor, hostAddress, nodesMax, podRange } from './node-addresses.ts';
import { openLog, type PodLogs } from './pod-logs.ts';
import { podsByNode } from './pod-index.ts';
import { PoolWork } from './pool-work.ts';

export interface NodePoolOptions {
  readonly env: Env;
  /** Reads all nodes and Pods, and the ConfigMaps and Secrets that Pods refer to. */
  readonly client: Client;
  /** A node's own client: everything it writes goes through it. */
  readonly clientFor: (node: string) => Client;
  readonly nodes: readonly NodeDefinition[];
  /** Status writes of Pods at a time; default 32. */
  readonly statusWrites?: number;
  /** Writes of nodes and leases at a time; default 32. */
  readonly nodeWrites?: number;
  /** Event writes at a time; default 2: events must not hold up statuses. */
  readonly eventWrites?: number;
  /** Whether nodes tell events about themselves; default true. Six a node at the start. */
  readonly nodeEvents?: boolean;
  /** Freezes cached objects: for tests and development. */
  readonly freeze?: boolean;
}

export interface NodePool {
  /** Resolves when all nodes are registered and ready. */
  readonly ready: Promise<void>;
  /** Opens container logs: the API server's source of them. */
  readonly logs: PodLogs;
  /** Names, in the order in which they were given. */
  readonly names: readonly string[];
  /** Runs all nodes until `signal` aborts. */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
  /**
   * The node falls silent: no lease, no status; its Pods stay as they are, and what runs goes on. @throws Error for an unknown node
   */
  stopNode(name: string): void;
  /** The node comes back, as after a restart of its agent. @throws Error for an unknown node */
  startNode(name: string): void;
  isRunning(name: string): boolean;
}

const simulatedKernel = '6.12.0-homeostat';

/** Creates a pool of simulated nodes; nothing happens before `run`. */
export function createNodePool(options: NodePoolOptions): NodePool {
  const pool = new Pool(options);
  return {
    ready: pool.ready,
    logs: (pod, logOptions, signal) => pool.logs(pod as Pod, logOptions, signal),
    names: options.nodes.map(({ name }) => name),
    run: (runOptions) => pool.run(runOptions),
    stopNode: (name) => pool.agent(name).stop(),
    startNode: (name) => pool.agent(name).start(),
    isRunning: (name) => pool.agent(name).signal !== undefined,
  };
}

class Pool {
  readonly #env: Env;
  readonly #informers: InformerFactory;
  readonly #agents = new Map<string, NodeAgent>();
  readonly #recorders: EventRecorder[] = [];
  /** Whose Pod it is, by uid. */
  readonly #owners = new Map<string, NodeAgent>();
  /** Leases that have been taken since their node's start. */
  readonly #beating = new WeakSet<AbortSignal>();
  readonly #work: PoolWork;
  readonly #writer: StatusWriter;
  readonly #ready = createDeferred<void>();
  /** Nodes that have not been ready yet. */
  readonly #waiting: Set<string>;

  constructor(options: NodePoolOptions) {
    const { nodes, statusWrites = 32, nodeWrites = 32, eventWrites = 2 } = options;
    invariant(nodes.length <= nodesMax, `a pool has at most ${nodesMax} nodes`);
    this.#env = { ...options.env, clock: createHeapClock(options.env.clock) };
    this.#waiting = new Set(nodes.map(({ name }) => name));
    const nodeGate = new Gate(nodeWrites);
    this.#work = new PoolWork(this.#env, {
      node: (name) => nodeGate.run(() => this.#passNode(name)),
      lease: (name) => nodeGate.run(() => this.#beat(name)),
      pod: (uid) => this.#activeWorker(uid)?.pass(),
      probe: (uid) => this.#activeWorker(uid)?.tickProbes(),
    });
    this.#writer = new StatusWriter({
      env: this.#env,
      concurrency: statusWrites,
      find: (uid) => {
        const agent = this.#owners.get(uid);
        const worker = agent?.worker(uid);
        const signal = agent?.signal;
        return agent === undefined || worker === undefined || signal === undefined
          ? undefined
          : { worker, client: agent.client, signal };
      },
    });
    this.#informers = new InformerFactory({
      client: options.client,
      env: this.#env,
      ...(options.freeze === undefined ? {} : { freeze: options.freeze }),
    });
    this.#createAgents(options, new Gate(eventWrites));
    this.#follow(nodes);
    this.#ready.promise.catch(() => {}); // told by run
    if (nodes.length === 0) this.#ready.resolve();
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  agent(name: string): NodeAgent {
    const agent = this.#agents.get(name);
    if (agent === undefined) throw new Error(`there is no node ${name} in the pool`);
    return agent;
  }

  readonly logs = async (pod: Pod, options: Parameters<PodLogs>[1], signal: AbortSignal): ReturnType<PodLogs> => {
    const name = pod.spec?.nodeName ?? '';
    const agent = this.#agents.get(name);
    if (agent === undefined || agent.signal === undefined)
      throw newBadRequest(`the node ${name} of pod ${pod.metadata?.name ?? ''} can't be reached`);
    // Who follows a log follows it until the agent stops: a stream that went on would hold up the end of the process.
    const open = AbortSignal.any([signal, agent.signal]);
    return openLog({ env: this.#env, runtime: agent.runtime }, pod, options, open);
  };

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const onAbort = (): void => this.#ready.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const scope = new Scope({ signal });
    scope.spawn('informers', (inner) => this.#informers.run({ signal: inner }));
    scope.spawn('work', async (inner) => {
      await this.#informers.waitForSync(inner);
      for (const agent of this.#agents.values()) agent.start();
      await this.#work.run({ signal: inner });
      for (const agent of this.#agents.values()) agent.stop();
    });
    scope.spawn('statuses', (inner) => this.#writer.run({ signal: inner }));
    for (const recorder of this.#recorders) scope.spawn('events', (inner) => recorder.run({ signal: inner }));
    await scope.join();
    signal.removeEventListener('abort', onAbort);
  }

  #createAgents(options: NodePoolOptions, eventGate: Gate): void {
    const pods = this.#informers.informer(podResource, selectPods(options.nodes));
    const nodes = this.#informers.informer(nodeResource, selectNodes(options.nodes));
    pods.addIndexes([podsByNode]);
    const references = new ReferenceReader(this.#env, options.client);
    let block = 0;
    for (const [index, definition] of options.nodes.entries()) {
      const { name } = definition;
      invariant(!this.#agents.has(name), `node ${name} is in the pool twice`);
      const blocks = blocksFor(Number(definition.capacity?.['pods'] ?? 110));
      const range = podRange(block, blocks);
      block += blocks;
      const cachedNode = (): Node | undefined => nodes.lister.get(undefined, name);
      const addresses = new AddressPool(() => parseRange(cachedNode()?.spec?.podCIDR ?? '') ?? range);
      const runtime: ContainerRuntime = new SimulatedRuntime({ env: this.#env, addresses });
      const client = options.clientFor(name);
      const recorder = createEventRecorder({
        client: withPatience(client, eventGate, this.#env.clock),
        env: this.#env,
        component: 'kubelet',
        host: name,
      });
      this.#recorders.push(recorder);
      const agent = new NodeAgent({
        env: this.#env,
        identity: identityOf(definition, index, this.#env, runtime),
        client,
        adminClient: options.client,
        runtime,
        references,
        recorder: options.nodeEvents === false ? withoutNodeEvents(recorder) : recorder,
        scheduler: {
          requestNode: (node, delayMs) => this.#work.request('node', node, delayMs),
          requestLease: (node, delayMs) => this.#work.request('lease', node, delayMs),
          requestPass: (uid, delayMs) => this.#work.request('pod', uid, delayMs),
          requestProbes: (uid, delayMs) => this.#work.request('probe', uid, delayMs),
          requestWrite: (uid, delayMs) => this.#writer.request(uid, delayMs),
          noticeForeignWrite: (worker, soon) => this.#writer.noticeForeignWrite(worker, soon),
          workerChanged: (uid, owner) => {
            if (owner === undefined) this.#owners.delete(uid);
            else this.#owners.set(uid, owner);
          },
        },
        cachedNode,
        cachedPods: () => pods.lister.byIndex(podsByNode.name, name),
      });
      this.#agents.set(name, agent);
    }
  }

  #follow(definitions: readonly NodeDefinition[]): void {
    this.#informers.informer(podResource, selectPods(definitions)).addHandler((change) => this.#onPod(change), {
      resyncPeriodMs: 0,
    });
  }

  #onPod(change: Change<Pod>): void {
    if (change.type === 'resync') return;
    const agent = this.#agents.get(change.object.spec?.nodeName ?? '');
    if (agent === undefined) return;
    if (change.type === 'deleted') {
      agent.removePod(change.object);
      return;
    }
    agent.observePod(change.object);
  }

  async #passNode(name: string): Promise<void> {
    const agent = this.agent(name);
    try {
      await agent.passNode();
    } catch (error) {
      // A node that was stopped in the middle of it starts over when it is started again.
      if (agent.signal === undefined) return;
      throw error;
    }
    if (!agent.ready || !this.#waiting.delete(name)) return;
    if (this.#waiting.size === 0) this.#ready.resolve();
  }

  async #beat(name: string): Promise<void> {
    const agent = this.agent(name);
    const { signal } = agent;
    if (signal === undefined) return;
    const first = !this.#beating.has(signal);
    this.#beating.add(signal);
    try {
      await agent.beat(first);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #activeWorker(uid: string): ReturnType<NodeAgent['worker']> {
    const agent = this.#owners.get(uid);
    return agent?.signal === undefined ? undefined : agent.worker(uid);
  }
}

function identityOf(definition: NodeDefinition, index: number, env: Env, runtime: ContainerRuntime): NodeIdentity {
  const machineId = fingerprint(`machine/${definition.name}`).slice(0, 32);
  const hex = (from: number, to: number): string => machineId.slice(from, to);
  return {
    definition,
    hostIP: hostAddress(index),
    bootId: env.random.uuid(),
    machineId,
    systemUuid: `${hex(0, 8)}-${hex(8, 12)}-4${hex(13, 16)}-8${hex(17, 20)}-${hex(20, 32)}`,
    operatingSystem: 'linux',
    architecture: 'amd64',
    runtimeVersion: `${runtime.name}://${runtime.version}`,
    osImage: 'Homeostat simulated node',
    kernelVersion: simulatedKernel,
  };
}

/** One node sees no more than its own; many share one cache of everything that is bound. */
function selectPods(nodes: readonly NodeDefinition[]): { readonly select: { readonly fieldSelector: string } } {
  const [only] = nodes;
  const fieldSelector = nodes.length === 1 && only !== undefined ? `spec.nodeName=${only.name}` : 'spec.nodeName!=';
  return { select: { fieldSelector } };
}

function selectNodes(nodes: readonly NodeDefinition[]): { readonly select?: { readonly fieldSelector: string } } {
  const [only] = nodes;
  return nodes.length === 1 && only !== undefined ? { select: { fieldSelector: `metadata.name=${only.name}` } } : {};
}

/** Events wait for their turn, and let everything else that is ready go first. */
function withPatience(client: Client, gate: Gate, clock: Clock): Client {
  const later = <T>(write: () => Promise<T>): Promise<T> =>
    gate.run(async () => {
      await clock.yield();
      return write();
    });
  return {
    ...client,
    create: (resource, options) => later(() => client.create(resource, options)),
    patch: (resource, options) => later(() => client.patch(resource, options)),
  };
}

function withoutNodeEvents(recorder: EventRecorder): EventRecorder {
  return {
    ...recorder,
    record: (input) => {
      if (input.regarding.kind !== 'Node') recorder.record(input);
    },
  };
}
