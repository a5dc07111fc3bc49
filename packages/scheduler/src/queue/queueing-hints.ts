// Which waiting pods an event may help: asks the plugins that turned them down (spec/scheduler.md §4.5). Moves nothing itself.

import type { Env } from '@homeostat/base';
import { type ClusterEvent, type EventRegistration, isWildcard, matchesEvent } from '../framework/cluster-event.ts';
import type { SchedulerMetrics } from '../metrics/scheduler-metrics.ts';
import type { HappenedEvent } from './in-flight.ts';
import type { QueuedPod } from './queued-pod.ts';

/** How a pod comes back. */
export type Strategy = 'skip' | 'after-backoff' | 'immediately';

export interface QueueingHintsOptions {
  readonly env: Env;
  readonly metrics: SchedulerMetrics;
  /** By the name pods ask for; the registrations by plugin. */
  readonly profiles: ReadonlyMap<string, { readonly registrations: ReadonlyMap<string, readonly EventRegistration[]> }>;
}

export class QueueingHints {
  readonly #options: QueueingHintsOptions;
  readonly #env: Env;
  /** By the label of the event. */
  readonly #interested = new Map<string, readonly string[]>();

  constructor(options: QueueingHintsOptions) {
    this.#options = options;
    this.#env = options.env;
  }

  /** Names of plugins that registered for an event. */
  interestedPlugins(event: ClusterEvent): readonly string[] {
    let plugins = this.#interested.get(event.label);
    if (plugins === undefined) {
      const found = new Set<string>();
      for (const { registrations } of this.#options.profiles.values()) {
        for (const [plugin, list] of registrations) {
          if (list.some((registration) => matchesEvent(registration, event))) found.add(plugin);
        }
      }
      this.#interested.set(event.label, (plugins = [...found]));
    }
    return plugins;
  }

  /** Whether an event is worth another try. */
  strategyFor(pod: QueuedPod, { event, old, now }: HappenedEvent): Strategy {
    if (!pod.hasRejectors) return 'after-backoff';
    if (isWildcard(event)) {
      return now !== undefined && now.metadata?.uid !== pod.info.uid ? 'skip' : 'after-backoff';
    }
    const registrations = this.#options.profiles.get(pod.schedulerName)?.registrations;
    let strategy: Strategy = 'skip';
    for (const plugin of pod.rejectors()) {
      const pending = pod.pendingPlugins.has(plugin);
      if (strategy === 'after-backoff' && !pending) continue;
      for (const registration of registrations?.get(plugin) ?? []) {
        if (!matchesEvent(registration, event) || !this.#asksFor(plugin, registration, { pod, event, old, now }))
          continue;
        if (pending) return 'immediately';
        strategy = 'after-backoff';
        break;
      }
    }
    return strategy;
  }

  #asksFor(
    plugin: string,
    { hint }: EventRegistration,
    { pod, event, old, now }: HappenedEvent & { readonly pod: QueuedPod },
  ): boolean {
    if (hint === undefined) return true;
    const { metrics } = this.#options;
    const start = metrics.now();
    try {
      const answer = hint(pod.info, old, now);
      metrics.hint(plugin, event.label, { hint: answer === 'Queue' ? 'Queue' : 'QueueSkip', start });
      return answer === 'Queue';
    } catch (error) {
      metrics.hint(plugin, event.label, { hint: 'Error', start });
      this.#env.log.error('a queueing hint failed; the pod is tried again', { pod: pod.key, plugin, error });
      return true;
    }
  }

  /** Whether the plugin that gates a pod wants to hear of an event. */
  concernsGate(pod: QueuedPod, event: ClusterEvent): boolean {
    const registrations = this.#options.profiles.get(pod.schedulerName)?.registrations.get(pod.gatingPlugin) ?? [];
    return registrations.some((registration) => matchesEvent(registration, event));
  }
}
