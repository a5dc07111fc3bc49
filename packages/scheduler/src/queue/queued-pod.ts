// A pod in the queue and what is known of its attempts (spec/scheduler.md §4.1).

import type { PodInfo } from '../framework/pod-info.ts';
import type { SortedPod } from '../framework/plugin.ts';

/** Changed by the queue alone. */
export class QueuedPod implements SortedPod {
  info: PodInfo;
  /** When it entered the queue or last failed, epoch milliseconds. */
  timestampMs: number;
  /** Tells pods of one moment apart: the lower, the earlier. */
  sequence = 0;
  /** When it was first ready to be tried. */
  firstActiveMs: number | undefined;
  attempts = 0;
  /** Attempts that plugins turned down. */
  unschedulableCount = 0;
  /** Attempts in a row that broke. */
  consecutiveErrors = 0;
  /** When its back-off ends; worked out on demand, void after each attempt. */
  backoffUntilMs: number | undefined;
  /** Who turned it down; their events bring it back. */
  readonly unschedulablePlugins = new Set<string>();
  readonly pendingPlugins = new Set<string>();
  /** Who keeps it out of the queue; empty: nobody. */
  gatingPlugin = '';
  /** It was tried again because it had waited too long. */
  wasFlushed = false;

  constructor(info: PodInfo, nowMs: number) {
    this.info = info;
    this.timestampMs = nowMs;
  }

  get key(): string {
    return this.info.key;
  }

  get schedulerName(): string {
    return this.info.pod.spec?.schedulerName ?? '';
  }

  get isGated(): boolean {
    return this.gatingPlugin !== '';
  }

  get hasRejectors(): boolean {
    return this.unschedulablePlugins.size > 0 || this.pendingPlugins.size > 0;
  }

  /** Plugins that turned it down, pending ones included. */
  *rejectors(): Iterable<string> {
    yield* this.unschedulablePlugins;
    for (const plugin of this.pendingPlugins) if (!this.unschedulablePlugins.has(plugin)) yield plugin;
  }
}
