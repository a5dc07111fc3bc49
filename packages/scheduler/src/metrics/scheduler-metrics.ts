// The scheduler's metrics (spec/scheduler.md §18): names, labels and buckets are upstream's. Durations are in seconds.

import type { Env, Labels } from '@homeostat/base';
import type { StatusCode } from '../framework/status.ts';

export type QueueName = 'active' | 'backoff' | 'unschedulable' | 'gated';
export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

interface Since {
  /** From {@link SchedulerMetrics.now}. */
  readonly start: number;
  readonly profile: string;
}

/** What is read when metrics are collected. */
export interface SchedulerGauges {
  pendingPods(): Readonly<Record<QueueName, number>>;
  /** How many pods wait because of a plugin. */
  unschedulableByPlugin(): Iterable<readonly [profile: string, plugin: string, count: number]>;
  cacheSizes(): Readonly<Record<'nodes' | 'pods' | 'assumed_pods', number>>;
  bindings(): number;
  inFlightEvents(): Iterable<readonly [event: string, count: number]>;
}

export type SchedulerMetrics = ReturnType<typeof createSchedulerMetrics>;

/** Creates the instruments in `env.metrics`. */
export function createSchedulerMetrics(env: Env) {
  const { clock, metrics } = env;
  const now = (): number => clock.monotonicMs();
  const secondsSince = (start: number): number => (clock.monotonicMs() - start) / 1000;
  const counter = (name: string, help: string, labelNames: readonly string[] = []) =>
    metrics.counter({ name: `scheduler_${name}`, help, labelNames });
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    metrics.gauge({ name: `scheduler_${name}`, help, labelNames });
  const histogram = (name: string, help: string, labelNames: readonly string[], buckets: readonly number[]) =>
    metrics.histogram({ name: `scheduler_${name}`, help, labelNames, buckets });

  const attempts = counter('schedule_attempts_total', 'Attempts to schedule pods, by result.', ['result', 'profile']);
  const attemptDuration = histogram(
    'scheduling_attempt_duration_seconds',
    'Duration of an attempt: algorithm and binding.',
    ['result', 'profile'],
    exponential(0.001, 2, 15),
  );
  const algorithmDuration = histogram(
    'scheduling_algorithm_duration_seconds',
    'Duration of finding a node.',
    [],
    exponential(0.001, 2, 15),
  );
  const podDuration = histogram(
    'pod_scheduling_sli_duration_seconds',
    'From a pod entering the queue to its binding.',
    ['attempts'],
    exponential(0.01, 2, 20),
  );
  const podAttempts = histogram('pod_scheduling_attempts', 'Attempts it took to schedule a pod.', [], [1, 2, 4, 8, 16]);
  const incoming = counter('queue_incoming_pods_total', 'Pods added to queues, by event.', ['queue', 'event']);
  const pending = gauge('pending_pods', 'Pods that wait, by queue.', ['queue']);
  const unschedulable = gauge('unschedulable_pods', 'Pods that wait because of a plugin.', ['plugin', 'profile']);
  const victims = histogram('preemption_victims', 'Victims of one preemption.', [], exponential(1, 2, 7));
  const preemptions = counter('preemption_attempts_total', 'Attempts to make room by preemption.');
  const pointDuration = histogram(
    'framework_extension_point_duration_seconds',
    'Duration of all plugins of an extension point.',
    ['extension_point', 'status', 'profile'],
    exponential(0.0001, 2, 12),
  );
  const pluginDuration = histogram(
    'plugin_execution_duration_seconds',
    'Duration of a plugin at an extension point, of one cycle in ten.',
    ['plugin', 'extension_point', 'status'],
    exponential(0.00001, 1.5, 20),
  );
  const evaluations = counter('plugin_evaluation_total', 'How often a plugin was asked.', [
    'plugin',
    'extension_point',
    'profile',
  ]);
  const hintDuration = histogram(
    'queueing_hint_execution_duration_seconds',
    'Duration of asking a plugin whether an event may help a pod.',
    ['plugin', 'event', 'hint'],
    exponential(0.00001, 1.5, 20),
  );
  const evictionDuration = histogram(
    'preemption_goroutines_duration_seconds',
    'Duration of making room for a pod.',
    ['result'],
    exponential(0.01, 2, 20),
  );
  const evictions = counter('preemption_goroutines_execution_total', 'How often room was made for a pod.', ['result']);
  const eventDuration = histogram(
    'event_handling_duration_seconds',
    'Duration of handling an event of the cluster.',
    ['event'],
    exponential(0.0001, 2, 12),
  );
  const permitWait = histogram(
    'permit_wait_duration_seconds',
    'Duration of waiting for leave to bind.',
    ['result'],
    exponential(0.001, 2, 15),
  );
  const cacheSize = gauge('cache_size', 'What the cache holds.', ['type']);
  const goroutines = gauge('goroutines', 'Tasks under way, by operation.', ['operation']);
  const inFlight = gauge('inflight_events', 'Events kept for pods being scheduled.', ['event']);
  const afterFlush = counter(
    'pod_scheduled_after_flush_total',
    'Pods scheduled after having waited too long for an event.',
  );

  return {
    now,
    /** One attempt has ended. */
    attempt(result: AttemptResult, { start, profile }: Since): void {
      const labels: Labels = { result, profile };
      attempts.inc(labels);
      attemptDuration.observe(secondsSince(start), labels);
    },
    algorithm(start: number): void {
      algorithmDuration.observe(secondsSince(start));
    },
    /** A pod has been bound. */
    scheduled(pod: {
      readonly attempts: number;
      readonly queuedMs: number | undefined;
      readonly wasFlushed: boolean;
    }): void {
      podAttempts.observe(pod.attempts);
      if (pod.wasFlushed) afterFlush.inc();
      if (pod.queuedMs === undefined) return;
      const label = pod.attempts >= 15 ? '15+' : String(pod.attempts);
      podDuration.observe((clock.nowMs() - pod.queuedMs) / 1000, { attempts: label });
    },
    incoming(queue: QueueName, event: string): void {
      incoming.inc({ queue, event });
    },
    preemptionAttempt(): void {
      preemptions.inc();
    },
    preemptionVictims(count: number): void {
      victims.observe(count);
    },
    extensionPoint(point: string, status: StatusCode, { start, profile }: Since): void {
      pointDuration.observe(secondsSince(start), { extension_point: point, status, profile });
    },
    /** Measures a plugin; undefined when this cycle is not one of those measured. */
    pluginTimer(enabled: boolean, plugin: string, point: string): ((status: StatusCode) => void) | undefined {
      if (!enabled) return undefined;
      const start = now();
      return (status) => pluginDuration.observe(secondsSince(start), { plugin, extension_point: point, status });
    },
    hint(
      plugin: string,
      event: string,
      { hint, start }: { readonly hint: 'Queue' | 'QueueSkip' | 'Error'; readonly start: number },
    ): void {
      hintDuration.observe(secondsSince(start), { plugin, event, hint });
    },
    eviction(result: 'success' | 'error', start: number): void {
      evictionDuration.observe(secondsSince(start), { result });
      evictions.inc({ result });
    },
    /** Names what counts evaluations, once for each profile; it gives what has come since it was asked last. */
    watchEvaluations(
      profile: string,
      take: () => Iterable<readonly [plugin: string, point: string, count: number]>,
    ): void {
      metrics.onCollect(() => {
        for (const [plugin, point, count] of take())
          if (count > 0) evaluations.inc({ plugin, extension_point: point, profile }, count);
      });
    },
    permitWait(result: StatusCode, start: number): void {
      permitWait.observe(secondsSince(start), { result });
    },
    eventHandled(event: string, start: number): void {
      eventDuration.observe(secondsSince(start), { event });
    },
    /** Names what gauges are read from, once. */
    watch(gauges: SchedulerGauges): void {
      metrics.onCollect(() => {
        for (const [queue, count] of Object.entries(gauges.pendingPods())) pending.set(count, { queue });
        for (const [profile, plugin, count] of gauges.unschedulableByPlugin())
          unschedulable.set(count, { plugin, profile });
        for (const [type, count] of Object.entries(gauges.cacheSizes())) cacheSize.set(count, { type });
        for (const [event, count] of gauges.inFlightEvents()) inFlight.set(count, { event });
        goroutines.set(gauges.bindings(), { operation: 'binding' });
      });
    },
  };
}

function exponential(first: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first * factor ** index);
}
