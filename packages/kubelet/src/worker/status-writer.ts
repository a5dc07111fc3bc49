// Writes Pod statuses, and deletes Pods that are over (spec/node.md §4.7). Coalescing: what is sent is always the newest status. Unlike
// upstream's, the patch starts from the newest state that watch and own writes have shown instead of a GET; a stale one is found out
// by the answer and mended.

import type { Pod } from '@homeostat/api/types/core-v1';
import { type Env, Scope } from '@homeostat/base';
import { type Client, isNewerResourceVersion, isNotFound } from '@homeostat/client';
import { pods } from '@homeostat/client/resources';
import { deepEqual } from '@homeostat/machinery';
import { createRateLimitingQueue, type RateLimitingQueue } from '@homeostat/runtime';
import { mergeStatus, statusPatch } from '../pod/merge-status.ts';
import { isTerminalPhase } from '../pod/pod-facts.ts';
import { schemaFor } from '../schemas.ts';
import type { PodWorker } from './pod-worker.ts';

/** A worker and who writes for it. */
export interface WriteTarget {
  readonly worker: PodWorker;
  readonly client: Client;
  /** Ends writes when the node stops. */
  readonly signal: AbortSignal;
}

export interface StatusWriterOptions {
  readonly env: Env;
  /** Writes at a time. */
  readonly concurrency: number;
  /** undefined: the Pod is not ours any more, or its node is silent. */
  find(uid: string): WriteTarget | undefined;
}

interface WriteState {
  version: number;
  /** The API server may have something else than what was written. */
  drifted: boolean;
  writing: boolean;
  deleteSent: boolean;
}

/**
 * Statuses that are about to be out of date are told all the same, so that watchers see a Pod being created; but of so many at
 * once (and a second) at most: when a thousand Pods start together, what comes next is told alone.
 */
const passingMax = 20;

/** Between full passes of upstream's writer: how long a failed or changed status waits at most. */
const passMs = 10_000;

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #queue: RateLimitingQueue;
  readonly #states = new WeakMap<PodWorker, WriteState>();
  #passing = passingMax;
  #passingMs: number;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#passingMs = options.env.clock.monotonicMs();
    this.#queue = createRateLimitingQueue({ env: options.env });
  }

  request(uid: string, delayMs = 0): void {
    this.#queue.addAfter(uid, delayMs);
  }

  /** Somebody else has written the Pod: its status is compared soon, or at the next pass. */
  noticeForeignWrite(worker: PodWorker, soon: boolean): void {
    const state = this.#stateOf(worker);
    if (state.writing || (state.drifted && !soon) || worker.version === 0) return;
    state.drifted = true;
    this.request(worker.uid, soon ? 0 : passMs * this.#options.env.random.float());
  }

  /** Writes until `signal` aborts. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const onAbort = (): void => this.#queue.shutDown();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const scope = new Scope();
    for (let index = 0; index < this.#options.concurrency; index++) scope.spawn('writer', () => this.#writeAll(signal));
    await scope.join();
    signal.removeEventListener('abort', onAbort);
  }

  async #writeAll(signal: AbortSignal): Promise<void> {
    for (let uid = await this.#queue.get(); uid !== undefined; uid = await this.#queue.get()) {
      const target = signal.aborted ? undefined : this.#options.find(uid);
      if (target !== undefined) await this.#write(target);
      this.#queue.done(uid);
    }
  }

  async #write(target: WriteTarget): Promise<void> {
    const { worker, signal } = target;
    const state = this.#stateOf(worker);
    state.writing = true;
    try {
      if (worker.busy && !this.#mayTellPassing()) await this.#options.env.clock.yield();
      await this.#writeStatus(target, state);
      await this.#deleteIfOver(target, state);
    } catch (error) {
      // Gone: the watch will tell so too.
      if (signal.aborted || isNotFound(error)) return;
      this.#options.env.log.warn('a pod status could not be written and is tried again', {
        pod: nameOf(worker.pod),
        error,
      });
      this.request(worker.uid, passMs);
    } finally {
      state.writing = false;
    }
  }

  async #writeStatus({ worker, client, signal }: WriteTarget, state: WriteState): Promise<void> {
    const { version, status, pod } = worker;
    if (worker.removed || status === undefined || (version === state.version && !state.drifted)) return;
    state.drifted = false;
    const merged = mergeStatus(pod.status ?? {}, status, worker.mayRun);
    const patch = statusPatch(pod, merged, schemaFor('Pod'));
    if (patch !== undefined) {
      const { namespace, name = '' } = pod.metadata ?? {};
      const stored = await client.patch<Pod>(pods, {
        namespace,
        name,
        subresource: 'status',
        type: 'strategic',
        patch,
        signal,
      });
      worker.observe(stored);
      // The patch was made for an older state, or another one has followed: look again.
      const later = isNewerResourceVersion(versionOf(worker.pod), versionOf(stored));
      if (later || !deepEqual(stored.status?.conditions ?? [], merged.conditions ?? [])) {
        state.drifted = true;
        this.request(worker.uid, passMs * this.#options.env.random.float());
      }
    }
    state.version = version;
  }

  async #deleteIfOver({ worker, client, signal }: WriteTarget, state: WriteState): Promise<void> {
    const { pod } = worker;
    if (!worker.deletable || state.deleteSent || worker.version !== state.version) return;
    if (!isTerminalPhase(pod.status?.phase)) return;
    const { namespace, name = '', uid = '' } = pod.metadata ?? {};
    await client.delete(pods, { namespace, name, gracePeriodSeconds: 0, preconditions: { uid }, signal });
    state.deleteSent = true;
  }

  #mayTellPassing(): boolean {
    const nowMs = this.#options.env.clock.monotonicMs();
    this.#passing = Math.min(passingMax, this.#passing + ((nowMs - this.#passingMs) / 1000) * passingMax);
    this.#passingMs = nowMs;
    if (this.#passing < 1) return false;
    this.#passing--;
    return true;
  }

  #stateOf(worker: PodWorker): WriteState {
    let state = this.#states.get(worker);
    if (state === undefined) {
      state = { version: 0, drifted: false, writing: false, deleteSent: false };
      this.#states.set(worker, state);
    }
    return state;
  }
}

function versionOf(pod: Pod): string {
  return pod.metadata?.resourceVersion ?? '';
}

function nameOf({ metadata }: Pod): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}
