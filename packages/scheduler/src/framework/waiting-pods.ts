// Pods that wait for leave of Permit plugins (spec/scheduler.md §6.1 step 8): each plugin allows them, turns them down, or lets the time run out.

import { createDeferred, type Deferred, type Env, type Timer } from '@homeostat/base';
import type { WaitingPod } from './plugin.ts';
import type { PodInfo } from './pod-info.ts';
import { Status, type Verdict } from './status.ts';

/** No plugin can make a pod wait longer. */
export const permitTimeoutMaxMs = 15 * 60_000;

class Waiting implements WaitingPod {
  readonly pod: PodInfo;
  readonly #pending = new Map<string, Timer>();
  readonly #decided: Deferred<Verdict> = createDeferred<Verdict>();
  #open = true;

  constructor(env: Env, pod: PodInfo, timeoutsMs: ReadonlyMap<string, number>) {
    this.pod = pod;
    for (const [plugin, timeoutMs] of timeoutsMs) {
      const text = `rejected due to timeout after waiting ${formatSeconds(timeoutMs)} at plugin ${plugin}`;
      this.#pending.set(
        plugin,
        env.clock.setTimer(timeoutMs, () => void this.reject(plugin, text)),
      );
    }
  }

  get decided(): Promise<Verdict> {
    return this.#decided.promise;
  }

  pendingPlugins(): readonly string[] {
    return [...this.#pending.keys()];
  }

  allow(plugin: string): void {
    this.#pending.get(plugin)?.cancel();
    this.#pending.delete(plugin);
    if (this.#pending.size === 0) this.#decide(undefined);
  }

  reject(plugin: string, message: string): boolean {
    return this.#decide(Status.unschedulable(plugin, message));
  }

  fail(error: Error): boolean {
    return this.#decide(Status.error('', error));
  }

  #decide(verdict: Verdict): boolean {
    if (!this.#open) return false;
    this.#open = false;
    for (const timer of this.#pending.values()) timer.cancel();
    this.#decided.resolve(verdict);
    return true;
  }
}

export class WaitingPods {
  readonly #env: Env;
  readonly #pods = new Map<string, Waiting>();

  constructor(env: Env) {
    this.#env = env;
  }

  /** Starts a wait; the plugins' times run from now. */
  add(pod: PodInfo, timeoutsMs: ReadonlyMap<string, number>): void {
    this.#pods.set(pod.uid, new Waiting(this.#env, pod, timeoutsMs));
  }

  get(uid: string): Waiting | undefined {
    return this.#pods.get(uid);
  }

  values(): Iterable<WaitingPod> {
    return this.#pods.values();
  }

  /** Resolves with the verdict; at once when the pod doesn't wait. */
  async wait(uid: string): Promise<Verdict> {
    const waiting = this.#pods.get(uid);
    if (waiting === undefined) return undefined;
    const verdict = await waiting.decided;
    this.#pods.delete(uid);
    return verdict;
  }

  /** Ends all waits: the process stops. */
  failAll(error: Error): void {
    for (const waiting of this.#pods.values()) waiting.fail(error);
  }
}

function formatSeconds(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
