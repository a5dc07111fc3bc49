// The scheduler: informers feed cache and queue, one loop takes pod after pod, bindings run beside it (spec/scheduler.md §1). It knows
// no transport and serves nothing: who composes it does.

import { createDeferred, type Env, Scope } from '@homeostat/base';
import type { Pod } from '@homeostat/api/types/core-v1';
import type { Client } from '@homeostat/client';
import { nodes, pods } from '@homeostat/client/resources';
import {
  createLeaderClient,
  createManager,
  createSeriesRecorder,
  InformerFactory,
  type LeaderElector,
  type Lister,
  type Manager,
  referenceTo,
  type Registration,
  type SeriesRecorder,
  withoutManagedFields,
} from '@homeostat/runtime';
import { SchedulerCache } from './cache/scheduler-cache.ts';
import { Snapshot } from './cache/snapshot.ts';
import { defaultProfile } from './configuration/default-profile.ts';
import { createProfilePlugins, type Profile } from './configuration/profile.ts';
import { BindingCycle } from './cycle/binding-cycle.ts';
import { Algorithm } from './cycle/schedule-pod.ts';
import { SchedulingCycle, type StopSignals } from './cycle/scheduling-cycle.ts';
import { clearNomination, FailureHandler } from './failure/failure-handler.ts';
import { PodStatusWriter } from './failure/pod-status-writer.ts';
import type { EventResource } from './framework/cluster-event.ts';
import { Framework } from './framework/framework.ts';
import type { PluginHandle, SchedulerEvent } from './framework/plugin.ts';
import { type PodInfo, podInfoOf } from './framework/pod-info.ts';
import { WaitingPods } from './framework/waiting-pods.ts';
import { addEventHandlers } from './informers/event-sources.ts';
import { unfinishedPods } from './informers/unfinished-pods.ts';
import { createSchedulerMetrics, type SchedulerMetrics } from './metrics/scheduler-metrics.ts';
import type { BackoffOptions } from './queue/backoff.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';

export interface SchedulerOptions {
  readonly env: Env;
  readonly client: Client;
  /** Writes events; default {@link client}. */
  readonly eventClient?: Client;
  /** Default: one, `default-scheduler`, with the default plugins. */
  readonly profiles?: readonly Profile[];
  /** Absent: this process schedules at once. */
  readonly election?: LeaderElector;
  /** Names the process in events; default `homeostat`. */
  readonly hostName?: string;
  /** Share of the nodes to look at before choosing, percent; default 0: adaptive. More costs time, fewer cost quality. */
  readonly percentageOfNodesToScore?: number;
  /** How to choose among nodes of equal score; default `first`, as upstream does. */
  readonly ties?: 'first' | 'random';
  readonly backoff?: BackoffOptions;
  /** A pod is tried again after this time without an event that helps, milliseconds; default 5 minutes. */
  readonly unschedulableMaxMs?: number;
  /** Period of comparing caches with the server, milliseconds; 0 never. */
  readonly repairPeriodMs?: number;
  /** Deep-freezes cached objects: for tests and development. */
  readonly freeze?: boolean;
}

export interface Scheduler {
  readonly manager: Manager;
  readonly informers: InformerFactory;
  /** Resolves when the caches are filled and their first lists have been taken in. */
  readonly ready: Promise<void>;
  /** How many pods wait in which queue. */
  pendingPods(): ReturnType<SchedulingQueue['sizes']>;
  /** Schedules until `signal` aborts and bindings under way have ended. @throws what broke, or LeadershipLostError */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

const defaultHostName = 'homeostat';
const syncPollMs = 100;
/** Longest run of cycles without giving way to other tasks (design law 15). */
const sliceMs = 5;

/**
 * Puts the scheduler together; nothing runs before `run`.
 * @throws Error when a profile can't work
 */
export function createScheduler(options: SchedulerOptions): Scheduler {
  return new SchedulerProcess(options);
}

class SchedulerProcess implements Scheduler {
  readonly manager: Manager;
  readonly informers: InformerFactory;
  readonly #options: SchedulerOptions;
  readonly #env: Env;
  readonly #metrics: SchedulerMetrics;
  readonly #cache: SchedulerCache;
  readonly #snapshot = new Snapshot();
  readonly #waitingPods: WaitingPods;
  readonly #frameworks = new Map<string, Framework>();
  readonly #recorders = new Map<string, SeriesRecorder>();
  readonly #pods: Lister<Pod>;
  readonly #queue: SchedulingQueue;
  readonly #cycle: SchedulingCycle;
  readonly #bindings: BindingCycle;
  readonly #statusWriter: PodStatusWriter;
  readonly #handlers: readonly Registration[];
  readonly #synced = createDeferred<void>();
  #handlersSynced = false;
  /** Tasks that outlive a cycle; there while this process schedules. */
  #tasks: Scope | undefined;

  constructor(options: SchedulerOptions) {
    const { env, election } = options;
    // Events are anybody's to write; everything else is the leader's.
    const client =
      election === undefined ? options.client : createLeaderClient({ client: options.client, leadership: election });
    this.#options = { eventClient: options.client, ...options, client };
    this.#env = env;
    this.#synced.promise.catch(() => {}); // told by run
    this.#metrics = createSchedulerMetrics(env);
    this.#cache = new SchedulerCache(env);
    this.#waitingPods = new WaitingPods(env);
    this.informers = new InformerFactory({
      client,
      env,
      resyncPeriodMs: 0,
      transform: withoutManagedFields,
      ...(options.repairPeriodMs === undefined ? {} : { repairPeriodMs: options.repairPeriodMs }),
      ...(options.freeze === undefined ? {} : { freeze: options.freeze }),
    });
    this.#pods = this.informers.informer(pods, { select: unfinishedPods }).lister;
    this.informers.informer(nodes);
    this.manager = createManager({ env, ...(options.election === undefined ? {} : { election: options.election }) });

    const livePod = (info: PodInfo): Pod | undefined => this.#pods.get(info.namespace, info.name);
    const recordEvent = (schedulerName: string, event: SchedulerEvent): void => this.#recordEvent(schedulerName, event);
    const spawn: PluginHandle['spawn'] = (name, task) => this.#tasks?.spawn(name, task);
    this.#statusWriter = new PodStatusWriter({ env, client, livePod, spawn });
    const profiles = options.profiles ?? [defaultProfile];
    this.#queue = new SchedulingQueue({
      env,
      metrics: this.#metrics,
      profiles: this.#frameworks,
      less: (a, b) => this.#frameworks.values().next().value?.less(a, b) ?? false,
      livePod: (info) => {
        const live = livePod(info);
        return live === undefined ? undefined : podInfoOf(live);
      },
      ...(options.backoff === undefined ? {} : { backoff: options.backoff }),
      ...(options.unschedulableMaxMs === undefined ? {} : { unschedulableMaxMs: options.unschedulableMaxMs }),
    });
    for (const profile of profiles) this.#addProfile(profile, spawn);
    const failures = new FailureHandler({
      env,
      queue: this.#queue,
      metrics: this.#metrics,
      statusWriter: this.#statusWriter,
      livePod,
      recordEvent,
    });
    const parts = { env, cache: this.#cache, queue: this.#queue, metrics: this.#metrics, failures, recordEvent };
    this.#bindings = new BindingCycle({ ...parts, statusWriter: this.#statusWriter });
    this.#cycle = new SchedulingCycle({
      ...parts,
      snapshot: this.#snapshot,
      frameworks: this.#frameworks,
      algorithm: new Algorithm({
        env,
        snapshot: this.#snapshot,
        metrics: this.#metrics,
        percentageOfNodesToScore: options.percentageOfNodesToScore ?? 0,
        ties: options.ties ?? 'first',
      }),
      bind: (assumed) => spawn('binding', () => this.#bindings.run(assumed)),
    });
    this.#handlers = addEventHandlers({
      informers: this.informers,
      cache: this.#cache,
      queue: this.#queue,
      waitingPods: this.#waitingPods,
      resources: this.#eventResources(),
      isOurs: (schedulerName) => this.#frameworks.has(schedulerName),
      measure: (event, run) => {
        const start = this.#metrics.now();
        run();
        this.#metrics.eventHandled(event, start);
      },
    });
    this.#watchGauges();
    this.manager.addReadyCheck('sched-handler-sync', () =>
      this.#handlersSynced ? undefined : 'handlers are not fully synchronized',
    );
    this.manager.add({ name: 'informers', run: (run) => this.informers.run(run) }, { group: 'services' });
    for (const [name, recorder] of this.#recorders)
      this.manager.add({ name: `events of ${name}`, run: (run) => recorder.run(run) }, { group: 'services' });
    this.manager.add(
      { name: 'handler sync', mayEnd: true, run: ({ signal }) => this.#waitForHandlers(signal) },
      { group: 'always' },
    );
    this.manager.add({ name: 'scheduler', run: (signals) => this.#schedule(signals) });
  }

  get ready(): Promise<void> {
    return this.#synced.promise;
  }

  pendingPods(): ReturnType<SchedulingQueue['sizes']> {
    return this.#queue.sizes();
  }

  run(options: { readonly signal: AbortSignal }): Promise<void> {
    return this.manager.run(options);
  }

  /** The loop, while this process leads. */
  async #schedule({ signal, kill }: StopSignals): Promise<void> {
    await this.#synced.promise;
    const tasks = new Scope({ signal });
    this.#tasks = tasks;
    try {
      tasks.spawn('queue', (inner) => this.#queue.run({ signal: inner }));
      tasks.spawn('scheduling', (inner) => this.#loop({ signal: inner, kill }));
      signal.addEventListener('abort', () => this.#waitingPods.failAll(new Error('the scheduler stops')), {
        once: true,
      });
      await tasks.join();
    } finally {
      this.#tasks = undefined;
    }
  }

  async #loop(signals: StopSignals): Promise<void> {
    const { signal } = signals;
    const { clock } = this.#env;
    let sliceStartMs = clock.monotonicMs();
    while (!signal.aborted) {
      const pod = this.#queue.tryPop();
      if (pod === undefined) {
        await this.#queue.waitForPod();
        // Watches of different resources are in no order: what came together with the pod should be seen with it.
        await clock.yield();
        sliceStartMs = clock.monotonicMs();
        continue;
      }
      await this.#cycle.run(pod, signals);
      // One cycle is long enough to look at the clock after each.
      if (clock.monotonicMs() - sliceStartMs < sliceMs) continue;
      await clock.yield();
      sliceStartMs = clock.monotonicMs();
    }
  }

  async #waitForHandlers(signal: AbortSignal): Promise<void> {
    try {
      await this.informers.waitForSync(signal);
      while (!this.#handlers.every((handler) => handler.hasSynced())) await this.#env.clock.sleep(syncPollMs, signal);
    } catch (error) {
      this.#synced.reject(error);
      return;
    }
    this.#handlersSynced = true;
    this.#synced.resolve();
  }

  #addProfile(profile: Profile, spawn: PluginHandle['spawn']): void {
    const { schedulerName } = profile;
    if (this.#frameworks.has(schedulerName))
      throw new Error(`duplicate profile with scheduler name "${schedulerName}"`);
    const { env, client, eventClient = client, hostName = defaultHostName } = this.#options;
    this.#recorders.set(
      schedulerName,
      createSeriesRecorder({
        client: eventClient,
        env,
        controller: schedulerName,
        instance: `${schedulerName}-${hostName}`,
      }),
    );
    const { nominator } = this.#queue;
    const framework = (): Framework => {
      const made = this.#frameworks.get(schedulerName);
      if (made === undefined) throw new Error(`profile ${schedulerName} is not complete yet`);
      return made;
    };
    const handle: PluginHandle = {
      env,
      client,
      informers: this.informers,
      metrics: this.#metrics,
      pods: this.#pods,
      snapshot: this.#snapshot,
      schedulerName,
      nominatedPodsFor: (node) => nominator.nominatedPodsFor(node),
      recordEvent: (event) => this.#recordEvent(schedulerName, event),
      runFiltersWithNominatedPods: (state, pod, node) => framework().runFiltersWithNominatedPods(state, pod, node),
      runAddPod: (state, pod, change) => framework().runAddPod(state, pod, change),
      runRemovePod: (state, pod, change) => framework().runRemovePod(state, pod, change),
      waitingPod: (uid) => this.#waitingPods.get(uid),
      waitingPods: () => this.#waitingPods.values(),
      cancelBinding: (uid, cause) => this.#bindings.cancel(uid, cause),
      activate: (pod) => this.#queue.activate([pod]),
      clearNomination: (pod) => this.#statusWriter.write(pod, { nominating: clearNomination }),
      spawn,
    };
    this.#frameworks.set(
      schedulerName,
      new Framework({
        schedulerName,
        plugins: createProfilePlugins(profile, handle),
        metrics: this.#metrics,
        nominated: nominator,
        waitingPods: this.#waitingPods,
      }),
    );
  }

  #recordEvent(schedulerName: string, { regarding, ...event }: SchedulerEvent): void {
    this.#recorders.get(schedulerName)?.record({ ...event, regarding: referenceTo(pods, regarding.pod) });
  }

  #eventResources(): ReadonlySet<EventResource> {
    const resources = new Set<EventResource>();
    for (const { registrations } of this.#frameworks.values()) {
      for (const list of registrations.values()) for (const { resource } of list) resources.add(resource);
    }
    return resources;
  }

  #watchGauges(): void {
    const cache = this.#cache;
    this.#metrics.watch({
      pendingPods: () => this.#queue.sizes(),
      unschedulableByPlugin: () => this.#queue.unschedulableByPlugin(),
      cacheSizes: () => ({ nodes: cache.nodeCount, pods: cache.podCount, assumed_pods: cache.assumedCount }),
      bindings: () => this.#bindings.running,
      inFlightEvents: () => this.#queue.inFlightEvents(),
    });
  }
}
