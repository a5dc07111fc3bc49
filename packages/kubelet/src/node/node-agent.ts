// One node: its registration, its lease and its Pods. It has no timers and no tasks of its own; the pool calls it when something is due.
// A stopped agent falls silent and leaves everything as it is.

import type { Node, Pod } from '@homeostat/api/types/core-v1';
import type { Env } from '@homeostat/base';
import type { Client } from '@homeostat/client';
import type { EventRecorder } from '@homeostat/runtime';
import { refusalOf, refuseResources } from '../admission/admit-pod.ts';
import { NodeUsage } from '../admission/pod-resources.ts';
import { rejectedStatus } from '../pod/final-status.ts';
import { fieldPathOf, type PodEvent } from '../pod/pod-event.ts';
import { isTerminalPhase, type PodVerdict } from '../pod/pod-facts.ts';
import type { ReferenceReader } from '../references/reference-reader.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { PodWorker } from '../worker/pod-worker.ts';
import type { WorkerHost } from '../worker/worker-host.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import type { NodeIdentity } from './node-definition.ts';
import { NodeReporter } from './node-reporter.ts';

/** Whom an agent asks to be called again. */
export interface AgentScheduler {
  requestNode(name: string, delayMs?: number): void;
  requestLease(name: string, delayMs?: number): void;
  requestPass(uid: string, delayMs?: number): void;
  requestProbes(uid: string, delayMs: number): void;
  requestWrite(uid: string, delayMs?: number): void;
  /** Somebody else has written the Pod; `soon`: its status is compared at once, not at the writer's next pass. */
  noticeForeignWrite(worker: PodWorker, soon: boolean): void;
  /** A worker has come or gone. */
  workerChanged(uid: string, agent: NodeAgent | undefined): void;
}

export interface NodeAgentOptions {
  readonly env: Env;
  readonly identity: NodeIdentity;
  readonly client: Client;
  readonly adminClient?: Client;
  readonly runtime: ContainerRuntime;
  readonly recorder: EventRecorder;
  readonly references: ReferenceReader;
  readonly scheduler: AgentScheduler;
  /** The node as the cache has it. */
  readonly cachedNode: () => Node | undefined;
  /** Pods bound to the node, as the cache has them. */
  readonly cachedPods: () => readonly Pod[];
}

export class NodeAgent {
  readonly name: string;
  readonly client: Client;
  readonly #options: NodeAgentOptions;
  readonly #reporter: NodeReporter;
  readonly #lease: LeaseKeeper;
  readonly #workers = new Map<string, PodWorker>();
  readonly #usage = new NodeUsage();
  readonly #host: WorkerHost;
  /** Pods whose resize waits for room. */
  readonly #deferred = new Set<string>();
  #running: AbortController | undefined;
  #hasPods = false;
  #isReady = false;

  constructor(options: NodeAgentOptions) {
    const { env, identity, client, adminClient, cachedNode, runtime, scheduler } = options;
    this.#options = options;
    this.name = identity.definition.name;
    this.client = client;
    this.#reporter = new NodeReporter({
      env,
      identity,
      client,
      ...(adminClient === undefined ? {} : { adminClient }),
      cached: cachedNode,
      emit: (type, reason, message) => this.#emitNode(type, reason, message),
    });
    this.#lease = new LeaseKeeper({ env, name: this.name, client, node: () => this.#reporter.node });
    this.#host = {
      env,
      runtime,
      hostIPs: [identity.hostIP],
      references: options.references,
      emit: (pod, event) => this.#emitPod(pod, event),
      requestPass: (uid, delayMs) => scheduler.requestPass(uid, delayMs),
      requestProbes: (uid, delayMs) => scheduler.requestProbes(uid, delayMs),
      requestWrite: (uid, delayMs) => scheduler.requestWrite(uid, delayMs),
      allot: (uid, pod) => this.#allot(uid, pod),
      finished: (uid) => this.#finished(uid),
    };
    runtime.onChange((uid) => {
      if (this.#running !== undefined && this.#workers.has(uid)) scheduler.requestPass(uid);
    });
  }

  get runtime(): ContainerRuntime {
    return this.#options.runtime;
  }

  /** Aborts when the agent stops; undefined while it is stopped. */
  get signal(): AbortSignal | undefined {
    return this.#running?.signal;
  }

  /** Registered and told to be ready, since the last start. */
  get ready(): boolean {
    return this.#isReady;
  }

  worker(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  start(): void {
    if (this.#running !== undefined) return;
    this.#running = new AbortController();
    this.#options.scheduler.requestNode(this.name);
  }

  stop(): void {
    this.#running?.abort(new Error(`node ${this.name} was stopped`));
    this.#running = undefined;
    this.#hasPods = false;
    this.#isReady = false;
    this.#reporter.reset();
    for (const worker of this.#workers.values()) worker.suspend();
  }

  /** Registers the node, or looks at its status. */
  async passNode(): Promise<void> {
    const signal = this.signal;
    if (signal === undefined) return;
    const { scheduler, env } = this.#options;
    const delayMs = await this.#reporter.pass(signal);
    if (signal.aborted) return;
    scheduler.requestNode(this.name, delayMs);
    if (!this.#reporter.registered || this.#hasPods) return;
    this.#hasPods = true;
    this.#isReady = true;
    scheduler.requestLease(this.name);
    env.log.debug('node is ready', { node: this.name });
    this.#takeUpPods();
  }

  async beat(first: boolean): Promise<void> {
    const signal = this.signal;
    if (signal === undefined) return;
    const { scheduler, env } = this.#options;
    const delayMs = await this.#lease.beat(signal);
    if (signal.aborted) return;
    // Nodes that were started together must not beat together.
    scheduler.requestLease(this.name, first ? delayMs * env.random.float() : delayMs);
  }

  /** A state of a Pod that is bound to this node. */
  observePod(pod: Pod): void {
    if (this.#hasPods) this.#observe(pod, false);
  }

  removePod(pod: Pod): void {
    if (this.#hasPods) this.#workers.get(pod.metadata?.uid ?? '')?.remove();
  }

  /** After a start: Pods that came or went meanwhile, in the order in which they were made. */
  #takeUpPods(): void {
    const pods = [...this.#options.cachedPods()].sort(byAge);
    const present = new Set(pods.map((pod) => pod.metadata?.uid));
    for (const [uid, worker] of this.#workers) {
      if (!present.has(uid)) worker.remove();
      else this.#options.scheduler.requestPass(uid);
    }
    for (const pod of pods) this.#observe(pod, true);
  }

  #observe(pod: Pod, soon: boolean): void {
    const known = this.#workers.get(pod.metadata?.uid ?? '');
    if (known === undefined) this.#admit(pod);
    else if (known.observe(pod)) this.#options.scheduler.noticeForeignWrite(known, soon);
  }

  #admit(pod: Pod): void {
    const uid = pod.metadata?.uid ?? '';
    const deleting = pod.metadata?.deletionTimestamp !== undefined;
    const over = isTerminalPhase(pod.status?.phase);
    if (over && !deleting) return;
    const worker = new PodWorker(pod, this.#host);
    this.#workers.set(uid, worker);
    this.#options.scheduler.workerChanged(uid, this);
    if (!over && !deleting) {
      const verdict = refusalOf(pod, { node: this.#reporter.node, usage: this.#usage });
      if (verdict !== undefined) {
        this.#emitPod(pod, { type: 'Warning', reason: verdict.reason, message: verdict.message });
        worker.reject(rejectedStatus(pod, verdict, this.#options.env.clock.nowMs()));
        return;
      }
      this.#usage.add(uid, pod);
    }
    this.#options.scheduler.requestPass(uid);
  }

  #allot(uid: string, pod: Pod): PodVerdict | undefined {
    const node = this.#reporter.node;
    if (node === undefined) return undefined;
    const taken = this.#usage.share(uid);
    this.#usage.remove(uid);
    const verdict = refuseResources(pod, node, this.#usage);
    if (verdict === undefined) {
      this.#usage.add(uid, pod);
      this.#retryResizes(uid);
    } else if (taken !== undefined) {
      this.#usage.restore(uid, taken);
      this.#deferred.add(uid);
    }
    return verdict;
  }

  /** Room may have come about for those that wait for it. */
  #retryResizes(causer: string): void {
    this.#deferred.delete(causer);
    for (const uid of this.#deferred) this.#options.scheduler.requestPass(uid);
    this.#deferred.clear();
  }

  #finished(uid: string): void {
    this.#usage.remove(uid);
    this.#retryResizes(uid);
    if (this.#workers.get(uid)?.removed !== true) return;
    this.#workers.delete(uid);
    this.#options.scheduler.workerChanged(uid, undefined);
    void this.#options.runtime.removePod(uid);
  }

  #emitPod(pod: Pod, event: PodEvent): void {
    const { namespace, name, uid, resourceVersion } = pod.metadata ?? {};
    this.#options.recorder.record({
      regarding: {
        kind: 'Pod',
        apiVersion: 'v1',
        ...(namespace === undefined ? {} : { namespace }),
        ...(name === undefined ? {} : { name }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(event.container === undefined ? {} : { fieldPath: fieldPathOf(event.container) }),
      },
      type: event.type,
      reason: event.reason,
      message: event.message,
    });
  }

  #emitNode(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#options.recorder.record({
      regarding: { kind: 'Node', apiVersion: 'v1', name: this.name },
      type,
      reason,
      message,
    });
  }
}

function byAge(a: Pod, b: Pod): number {
  const first = a.metadata?.creationTimestamp ?? '';
  const second = b.metadata?.creationTimestamp ?? '';
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata?.uid ?? '') < (b.metadata?.uid ?? '') ? -1 : 1;
}
