// Pods that wait for an event: turned down by plugins, or gated. Indexed by who turned them down, so that an event costs only the
// pods it may concern.

import type { QueuedPod } from './queued-pod.ts';

export class UnschedulablePods {
  readonly #pods = new Map<string, QueuedPod>();
  readonly #byPlugin = new Map<string, Set<QueuedPod>>();
  /** Under which plugins each pod is indexed: its own sets change while it is being tried. */
  readonly #indexed = new Map<QueuedPod, readonly string[]>();
  readonly #gated = new Set<QueuedPod>();

  get size(): number {
    return this.#pods.size;
  }

  get gatedCount(): number {
    return this.#gated.size;
  }

  get(key: string): QueuedPod | undefined {
    return this.#pods.get(key);
  }

  values(): Iterable<QueuedPod> {
    return this.#pods.values();
  }

  /** Adds a pod, or indexes it anew. */
  set(pod: QueuedPod): void {
    this.delete(pod.key);
    this.#pods.set(pod.key, pod);
    const plugins = [...pod.rejectors()];
    if (pod.isGated) {
      this.#gated.add(pod);
      if (!plugins.includes(pod.gatingPlugin)) plugins.push(pod.gatingPlugin);
    }
    this.#indexed.set(pod, plugins);
    for (const plugin of plugins) {
      let pods = this.#byPlugin.get(plugin);
      if (pods === undefined) this.#byPlugin.set(plugin, (pods = new Set()));
      pods.add(pod);
    }
  }

  delete(key: string): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return;
    this.#pods.delete(key);
    this.#gated.delete(pod);
    for (const plugin of this.#indexed.get(pod) ?? []) {
      const pods = this.#byPlugin.get(plugin);
      pods?.delete(pod);
      if (pods?.size === 0) this.#byPlugin.delete(plugin);
    }
    this.#indexed.delete(pod);
  }

  /** The pods any of these plugins turned down. */
  rejectedBy(plugins: readonly string[]): readonly QueuedPod[] {
    const [only] = plugins;
    if (only === undefined) return [];
    if (plugins.length === 1) return [...(this.#byPlugin.get(only) ?? [])];
    const found = new Set<QueuedPod>();
    for (const plugin of plugins) for (const pod of this.#byPlugin.get(plugin) ?? []) found.add(pod);
    return [...found];
  }

  /** How many pods each plugin keeps waiting. */
  *counts(): Iterable<readonly [plugin: string, pods: ReadonlySet<QueuedPod>]> {
    yield* this.#byPlugin;
  }
}
