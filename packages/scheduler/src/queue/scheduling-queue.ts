// The pods that wait to be scheduled (spec/scheduler.md §4): ready ones by priority, ones that back off, ones that wait for an event that
// may help. A pod is in at most one of them. Pods come from the API server's cache, which bounds the memory.

import type { Env, Timer } from '@homeostat/base';
import { createDeferred, type Deferred, invariant, Scope } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import type { Pod } from '@homeostat/api/types/core-v1';
import { type ClusterEvent, type EventRegistration, isWildcard, wildcardEvents } from '../framework/cluster-event.ts';
import type { SortedPod } from '../framework/plugin.ts';
import { type PodInfo, podInfoOf } from '../framework/pod-info.ts';
import type { Verdict } from '../framework/status.ts';
import type { QueueName, SchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import { Backoff, type BackoffOptions, wholeSecond } from './backoff.ts';
import { type HappenedEvent, InFlight } from './in-flight.ts';
import { QueueingHints, type Strategy } from './queueing-hints.ts';
import { KeyedHeap } from './keyed-heap.ts';
import { Nominator } from './nominator.ts';
import { SlicedWork } from './sliced-work.ts';
import { QueuedPod } from './queued-pod.ts';
import { UnschedulablePods } from './unschedulable-pods.ts';

/** What the queue asks of a profile. */
export interface QueueProfile {
  runPreEnqueue(pod: PodInfo, gatedBy: string): Verdict;
  /** By plugin. */
  readonly registrations: ReadonlyMap<string, readonly EventRegistration[]>;
}

export interface SchedulingQueueOptions {
  readonly env: Env;
  readonly metrics: SchedulerMetrics;
  /** By the name pods ask for. */
  readonly profiles: ReadonlyMap<string, QueueProfile>;
  /** QueueSort; one for all profiles. */
  less(a: SortedPod, b: SortedPod): boolean;
  /** The pod as the informer has it. */
  livePod(info: PodInfo): PodInfo | undefined;
  readonly backoff?: BackoffOptions;
  /** A pod is tried again after this time without an event that helps; default 5 minutes. */
  readonly unschedulableMaxMs?: number;
}

const defaultUnschedulableMaxMs = 5 * 60_000;
const flushPeriodMs = 30_000;

export class SchedulingQueue {
  readonly #options: SchedulingQueueOptions;
  readonly #env: Env;
  readonly #backoff: Backoff;
  readonly #active: KeyedHeap<QueuedPod>;
  /** Pods that plugins turned down: may be tried early when there is nothing else to do. */
  readonly #podBackoff: KeyedHeap<QueuedPod>;
  /** Pods whose attempt broke: never early. */
  readonly #errorBackoff: KeyedHeap<QueuedPod>;
  readonly #unschedulable = new UnschedulablePods();
  readonly #inFlight = new InFlight();
  readonly #moves: SlicedWork;
  readonly #hints: QueueingHints;
  readonly nominator: Nominator;
  #filled: Deferred<void> | undefined;
  #backoffTimer: Timer | undefined;
  #closed = false;
  #sequence = 0;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
    this.#env = options.env;
    this.#backoff = new Backoff(options.backoff);
    this.#hints = new QueueingHints(options);
    this.#moves = new SlicedWork(options.env.clock);
    const keyOf = (pod: QueuedPod): string => pod.key;
    // First come, first served among equals: many pods come at one moment.
    const less = (a: QueuedPod, b: QueuedPod): boolean =>
      options.less(a, b) || (a.sequence < b.sequence && !options.less(b, a));
    const endsFirst = (a: QueuedPod, b: QueuedPod): boolean => {
      const difference = this.#backoff.endsAtMs(a) - this.#backoff.endsAtMs(b);
      return difference === 0 ? less(a, b) : difference < 0;
    };
    this.#active = new KeyedHeap({ keyOf, less });
    this.#podBackoff = new KeyedHeap({ keyOf, less: endsFirst });
    this.#errorBackoff = new KeyedHeap({ keyOf, less: endsFirst });
    this.nominator = new Nominator({
      livePod: (info) => options.livePod(info),
      queuedPod: (key) => this.#find(key)?.info,
    });
  }

  /** How many pods are where. */
  sizes(): Readonly<Record<QueueName, number>> {
    return {
      active: this.#active.size,
      backoff: this.#podBackoff.size + this.#errorBackoff.size,
      unschedulable: this.#unschedulable.size - this.#unschedulable.gatedCount,
      gated: this.#unschedulable.gatedCount,
    };
  }

  /** How many pods each plugin keeps waiting. */
  *unschedulableByPlugin(): Iterable<readonly [profile: string, plugin: string, count: number]> {
    for (const [plugin, pods] of this.#unschedulable.counts()) {
      const byProfile = new Map<string, number>();
      for (const { schedulerName } of pods) byProfile.set(schedulerName, (byProfile.get(schedulerName) ?? 0) + 1);
      for (const [profile, count] of byProfile) yield [profile, plugin, count];
    }
  }

  inFlightEvents(): ReadonlyMap<string, number> {
    return this.#inFlight.counts();
  }

  /** A pod that wants a node is new. */
  add(pod: Pod, label = 'UnschedulablePodAdd'): void {
    const queued = new QueuedPod(podInfoOf(pod), this.#nowMs());
    queued.sequence = this.#sequence++;
    if (!this.#toActive(queued, label)) return;
    this.nominator.add(queued.info);
    this.#wake();
  }

  /** A waiting pod has changed; `events` say how. */
  update(old: Pod, pod: Pod, events: readonly ClusterEvent[]): void {
    const info = podInfoOf(pod);
    if (this.#inFlight.has(info.uid)) {
      for (const event of events) this.#inFlight.note({ event, old, now: pod });
      return;
    }
    for (const heap of [this.#active, this.#podBackoff, this.#errorBackoff]) {
      const queued = heap.get(info.key);
      if (queued === undefined) continue;
      queued.info = info;
      this.nominator.update(podInfoOf(old), info);
      heap.set(queued);
      return;
    }
    const queued = this.#unschedulable.get(info.key);
    if (queued === undefined) {
      this.add(pod);
      return;
    }
    queued.info = info;
    this.nominator.update(podInfoOf(old), info);
    for (const event of events) {
      const strategy = this.#hints.strategyFor(queued, { event, old, now: pod });
      if (strategy !== 'skip' && this.#requeue(queued, strategy, event.label)) return;
    }
  }

  /** A waiting pod is gone, or is none of ours any more. */
  delete(pod: Pod): void {
    const { key, uid } = podInfoOf(pod);
    this.nominator.delete(uid);
    this.#active.delete(key);
    this.#podBackoff.delete(key);
    this.#errorBackoff.delete(key);
    this.#unschedulable.delete(key);
  }

  /** Something happened that may help: brings back the pods it may help. `mayMove` leaves pods out beforehand. */
  moveAll(event: ClusterEvent, change: EventChange = {}): void {
    const { old, now, mayMove } = change;
    const plugins = this.#hints.interestedPlugins(event);
    if (plugins.length === 0 && !isWildcard(event)) return;
    const candidates = isWildcard(event) ? [...this.#unschedulable.values()] : this.#unschedulable.rejectedBy(plugins);
    this.#moves.add({
      length: candidates.length,
      step: (index) => this.#move(candidates[index], { event, old, now }, mayMove),
    });
    this.#inFlight.note({ event, old, now });
  }

  /** Brings a pod back if the event may help it. */
  #move(pod: QueuedPod | undefined, happened: HappenedEvent, mayMove: EventChange['mayMove']): void {
    // It may have gone since the event.
    if (pod === undefined || this.#unschedulable.get(pod.key) !== pod) return;
    if (mayMove !== undefined && !mayMove(pod.info)) return;
    if (pod.isGated && !this.#hints.concernsGate(pod, happened.event)) return;
    const strategy = this.#hints.strategyFor(pod, happened);
    if (strategy !== 'skip') this.#requeue(pod, strategy, happened.event.label);
  }

  /** Puts pods at once where they are tried next, whatever they wait for. */
  activate(pods: readonly Pod[]): void {
    for (const pod of pods) {
      const { key, uid } = podInfoOf(pod);
      const queued = this.#find(key);
      if (queued === undefined) {
        const event = wildcardEvents.forceActivate;
        if (this.#inFlight.has(uid)) this.#inFlight.note({ event, old: undefined, now: pod });
        continue;
      }
      if (!this.#active.has(key) && this.#toActive(queued, wildcardEvents.forceActivate.label)) this.#wake();
    }
  }

  /** The pod to try next, now in flight; undefined when there is none. With nothing ready, one that backs off is taken early. */
  tryPop(): QueuedPod | undefined {
    for (;;) {
      let pod = this.#active.pop();
      if (pod === undefined) {
        pod = this.#podBackoff.pop();
        if (pod === undefined) return undefined;
        pod.firstActiveMs ??= this.#nowMs();
        this.#options.metrics.incoming('active', 'PopFromBackoffQ');
      }
      if (this.#inFlight.has(pod.info.uid)) {
        this.#env.log.error('a pod was queued while it was being scheduled', { pod: pod.key });
        continue;
      }
      pod.attempts++;
      this.#inFlight.add(pod.info.uid);
      pod.backoffUntilMs = undefined;
      pod.unschedulablePlugins.clear();
      pod.pendingPlugins.clear();
      return pod;
    }
  }

  /** Resolves when there may be a pod to take, or the queue is closed. */
  async waitForPod(): Promise<void> {
    if (this.#closed || this.#active.size > 0 || this.#podBackoff.size > 0) return;
    this.#filled ??= createDeferred<void>();
    await this.#filled.promise;
  }

  /** A pod that failed comes back; who turned it down is in its sets. */
  addUnschedulable(pod: QueuedPod): void {
    invariant(this.#find(pod.key) === undefined, `pod ${pod.key} is in the queue already`);
    if (pod.hasRejectors) {
      pod.unschedulableCount++;
      pod.consecutiveErrors = 0;
    } else {
      pod.consecutiveErrors++;
    }
    pod.timestampMs = this.#nowMs();
    pod.sequence = this.#sequence++;
    pod.backoffUntilMs = undefined;
    pod.wasFlushed = false;
    const { strategy, label } = this.#strategyAfterFailure(pod);
    this.#inFlight.done(pod.info.uid);
    if (strategy === 'skip') {
      this.#unschedulable.set(pod);
      this.#options.metrics.incoming('unschedulable', label);
    } else {
      this.#requeue(pod, strategy, label);
    }
  }

  /** The pod in flight needs no events any more. */
  done(uid: string): void {
    this.#inFlight.done(uid);
  }

  /** Every 30 s: pods that have waited too long are tried again. Runs until `signal` aborts. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const close = (): void => {
      this.#closed = true;
      this.#backoffTimer?.cancel();
      this.#wake();
    };
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    const scope = new Scope({ signal });
    scope.spawn('moves', (inner) => this.#moves.run({ signal: inner }));
    scope.spawn('flush', async (inner) => {
      for (;;) {
        await this.#env.clock.sleep(flushPeriodMs, inner);
        this.#flushUnschedulable();
      }
    });
    await scope.join();
  }

  #flushUnschedulable(): void {
    const maxMs = this.#options.unschedulableMaxMs ?? defaultUnschedulableMaxMs;
    const nowMs = this.#nowMs();
    const event = wildcardEvents.unschedulableTimeout;
    const waiting = Array.from(this.#unschedulable.values());
    for (const pod of waiting) {
      if (nowMs - pod.timestampMs <= maxMs || pod.isGated) continue;
      pod.wasFlushed = true;
      this.#requeue(pod, 'after-backoff', event.label);
    }
    this.#inFlight.note({ event, old: undefined, now: undefined });
  }

  /** Pods whose back-off is over become ready. */
  #flushBackoff(): void {
    const nowMs = this.#nowMs();
    let moved = false;
    for (const heap of [this.#errorBackoff, this.#podBackoff]) {
      for (let pod = heap.peek(); pod !== undefined && !this.#backoff.isBackingOff(pod, nowMs); pod = heap.peek()) {
        heap.pop();
        this.#putActive(pod, 'BackoffComplete');
        moved = true;
      }
    }
    this.#scheduleBackoff();
    if (moved) this.#wake();
  }

  /** The timer runs on whole seconds of the wall clock, while anything backs off. */
  #scheduleBackoff(): void {
    this.#backoffTimer?.cancel();
    this.#backoffTimer = undefined;
    if (this.#closed || this.#podBackoff.size + this.#errorBackoff.size === 0) return;
    const nowMs = this.#nowMs();
    this.#backoffTimer = this.#env.clock.setTimer(wholeSecond(nowMs) + 1000 - nowMs, () => this.#flushBackoff());
  }

  /** What has happened since the pod was taken decides where it goes. */
  #strategyAfterFailure(pod: QueuedPod): { readonly strategy: Strategy; readonly label: string } {
    const label = 'ScheduleAttemptFailure';
    if (!pod.hasRejectors) return { strategy: 'after-backoff', label };
    let best: Strategy = 'skip';
    for (const happened of this.#inFlight.eventsSince(pod.info.uid)) {
      const strategy = this.#hints.strategyFor(pod, happened);
      if (strategy === 'immediately') return { strategy, label };
      if (strategy === 'after-backoff') best = strategy;
    }
    return { strategy: best, label };
  }

  /** Brings a pod back. @returns whether it can be tried, now or after its back-off */
  #requeue(pod: QueuedPod, strategy: Strategy, label: string): boolean {
    let ready: boolean;
    if (strategy === 'after-backoff' && this.#backoff.isBackingOff(pod, this.#nowMs())) {
      ready = this.#admit(pod, label);
      if (ready) {
        this.#unschedulable.delete(pod.key);
        // Attempts that broke must not be repeated early.
        (pod.hasRejectors ? this.#podBackoff : this.#errorBackoff).set(pod);
        this.#options.metrics.incoming('backoff', label);
        if (this.#backoffTimer === undefined) this.#scheduleBackoff();
      }
    } else {
      ready = this.#toActive(pod, label);
    }
    if (ready) this.#wake();
    return ready;
  }

  /** Makes a pod ready, unless it is gated. */
  #toActive(pod: QueuedPod, label: string): boolean {
    if (!this.#admit(pod, label)) return false;
    this.#putActive(pod, label);
    return true;
  }

  #putActive(pod: QueuedPod, label: string): void {
    this.#unschedulable.delete(pod.key);
    this.#podBackoff.delete(pod.key);
    this.#errorBackoff.delete(pod.key);
    pod.firstActiveMs ??= this.#nowMs();
    this.#active.set(pod);
    this.#options.metrics.incoming('active', label);
  }

  /** Asks the gates. A gated pod waits among the unschedulable ones. */
  #admit(pod: QueuedPod, label: string): boolean {
    const verdict = this.#options.profiles.get(pod.schedulerName)?.runPreEnqueue(pod.info, pod.gatingPlugin);
    if (verdict === undefined) {
      pod.gatingPlugin = '';
      return true;
    }
    pod.gatingPlugin = verdict.plugin;
    pod.unschedulablePlugins.add(verdict.plugin);
    if (verdict.isRejected) this.#env.log.debug('a pod is gated', { pod: pod.key, plugin: verdict.plugin });
    else this.#env.log.error('asking whether a pod may be queued failed', { pod: pod.key, error: verdict.error });
    this.#podBackoff.delete(pod.key);
    this.#errorBackoff.delete(pod.key);
    this.#unschedulable.set(pod);
    this.#options.metrics.incoming('unschedulable', label);
    return false;
  }

  #find(key: string): QueuedPod | undefined {
    return (
      this.#active.get(key) ?? this.#podBackoff.get(key) ?? this.#errorBackoff.get(key) ?? this.#unschedulable.get(key)
    );
  }

  #wake(): void {
    this.#filled?.resolve();
    this.#filled = undefined;
  }

  #nowMs(): number {
    return this.#env.clock.nowMs();
  }
}

/** What an event was about. */
export interface EventChange {
  readonly old?: KubeObject | undefined;
  readonly now?: KubeObject | undefined;
  /** Pods it returns false for stay where they are. */
  readonly mayMove?: (pod: PodInfo) => boolean;
}
