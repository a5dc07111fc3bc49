// Makes room: ends the victims of a candidate in a task beside the scheduling loop (spec/scheduler.md §12.5, §12.6). While it runs the pod
// that wants the room stays out of the queue.

import { isNotFound } from '@homeostat/client';
import { pods } from '@homeostat/client/resources';
import { podStatusPatch } from '../../failure/pod-status.ts';
import type { PluginHandle } from '../../framework/plugin.ts';
import type { PodInfo } from '../../framework/pod-info.ts';
import { pluginNames } from '../names.ts';
import type { Candidate } from './candidate.ts';

const name = pluginNames.defaultPreemption;

export class Eviction {
  readonly #handle: PluginHandle;
  /** By uid of the pod that wants the room: the last victim, once it is its turn. */
  readonly #preempting = new Map<string, PodInfo | undefined>();

  constructor(handle: PluginHandle) {
    this.#handle = handle;
  }

  /** Whether the pod still waits for its victims to be told. The last one gone or going is as good as the end. */
  isPreempting(pod: PodInfo): boolean {
    if (!this.#preempting.has(pod.uid)) return false;
    const last = this.#preempting.get(pod.uid);
    if (last === undefined) return true;
    const live = this.#handle.pods.get(last.namespace, last.name);
    return live !== undefined && live.metadata?.uid === last.uid && live.metadata.deletionTimestamp === undefined;
  }

  /** Starts the task. */
  start(pod: PodInfo, candidate: Candidate): void {
    const { metrics, spawn, env } = this.#handle;
    const victims = candidate.victims.filter(({ isTerminating }) => !isTerminating);
    if (victims.length === 0) return;
    metrics.preemptionVictims(candidate.victims.length);
    this.#preempting.set(pod.uid, undefined);
    const start = metrics.now();
    spawn('preemption', async (signal) => {
      try {
        await this.#run(pod, candidate.node.name, { victims, signal });
        metrics.eviction('success', start);
      } catch (error) {
        if (signal.aborted) return;
        metrics.eviction('error', start);
        env.log.error('making room for a pod failed', { pod: pod.key, node: candidate.node.name, error });
        this.#preempting.delete(pod.uid);
        this.#handle.activate(pod.pod);
      } finally {
        this.#preempting.delete(pod.uid);
      }
    });
  }

  async #run(
    pod: PodInfo,
    nodeName: string,
    { victims, signal }: { readonly victims: readonly PodInfo[]; readonly signal: AbortSignal },
  ): Promise<void> {
    // Who was promised the node, and is less important, must look again.
    const displaced = this.#handle.nominatedPodsFor(nodeName).filter(({ priority }) => priority < pod.priority);
    await Promise.all(displaced.map((other) => this.#handle.clearNomination(other)));
    const last = victims.at(-1);
    await Promise.all(victims.slice(0, -1).map((victim) => this.#evict(pod, nodeName, { victim, signal })));
    if (last === undefined) return;
    this.#preempting.set(pod.uid, last);
    await this.#evict(pod, nodeName, { victim: last, signal });
  }

  async #evict(
    pod: PodInfo,
    nodeName: string,
    { victim, signal }: { readonly victim: PodInfo; readonly signal: AbortSignal },
  ): Promise<void> {
    const inMemory =
      this.#handle.waitingPod(victim.uid)?.fail(new Error(`preempted by ${name}`)) === true ||
      this.#handle.cancelBinding(victim.uid, new Error(`preempted by ${name}`));
    if (!inMemory && !(await this.#delete(pod, victim, signal))) return;
    const suffix = inMemory ? ' (in kube-scheduler memory).' : '';
    this.#handle.recordEvent({
      regarding: victim,
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: `Preempted by pod ${pod.uid} on node ${nodeName}${suffix}`,
    });
  }

  /** Says why and deletes, with the victim's own grace period. @returns false when it was gone */
  async #delete(pod: PodInfo, victim: PodInfo, signal: AbortSignal): Promise<boolean> {
    const { client, env, pods: lister } = this.#handle;
    const { namespace, name: victimName } = victim;
    const live = lister.get(namespace, victimName);
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: `${pod.pod.spec?.schedulerName ?? ''}: preempting to accommodate a higher priority pod`,
    } as const;
    const patch = podStatusPatch(live ?? victim.pod, { condition }, env.clock.nowMs());
    try {
      if (patch !== undefined) {
        await client.patch(pods, {
          namespace,
          name: victimName,
          subresource: 'status',
          type: 'strategic',
          patch,
          signal,
        });
      }
      await client.delete(pods, { namespace, name: victimName, signal });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}
