// Writes statuses of pods beside the scheduling loop: one write at a time for each pod, many for different pods; changes that come
// while one is under way become the next, as one (spec/scheduler.md §9.4, §14.1). Best effort: what fails is logged.

import { type Env, isApiError } from '@homeostat/base';
import type { Pod } from '@homeostat/api/types/core-v1';
import { type Client, isNewerResourceVersion, isNotFound, isTransportError } from '@homeostat/client';
import { pods } from '@homeostat/client/resources';
import type { Json } from '@homeostat/machinery';
import type { PodInfo } from '../framework/pod-info.ts';
import { type PodStatusChange, podStatusPatch } from './pod-status.ts';

export interface PodStatusWriterOptions {
  readonly env: Env;
  readonly client: Client;
  /** The pod as the informer has it. */
  livePod(info: PodInfo): Pod | undefined;
  /** Runs a task of the scheduler's. */
  spawn(name: string, task: (signal: AbortSignal) => Promise<void>): void;
}

interface Turn {
  readonly info: PodInfo;
  /** What comes after the write under way. */
  waiting: PodStatusChange | undefined;
  readonly done: Promise<void>;
}

const triesMax = 4;
const firstPauseMs = 10;
const pauseFactor = 5;

export class PodStatusWriter {
  readonly #options: PodStatusWriterOptions;
  readonly #turns = new Map<string, Turn>();

  constructor(options: PodStatusWriterOptions) {
    this.#options = options;
  }

  /** Brings a change to the pod's status; resolves when it, or what took its place, has been tried. */
  write(info: PodInfo, change: PodStatusChange): Promise<void> {
    const known = this.#turns.get(info.uid);
    if (known !== undefined) {
      known.waiting = merge(known.waiting, change);
      return known.done;
    }
    if (podStatusPatch(this.#newest(info, undefined), change, 0) === undefined) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const turn: Turn = { info, waiting: change, done: promise };
    this.#turns.set(info.uid, turn);
    this.#options.spawn('pod status', async (signal) => {
      try {
        await this.#run(turn, signal);
      } finally {
        this.#turns.delete(info.uid);
        resolve();
      }
    });
    return promise;
  }

  async #run(turn: Turn, signal: AbortSignal): Promise<void> {
    let written: Pod | undefined;
    while (turn.waiting !== undefined) {
      const change = turn.waiting;
      turn.waiting = undefined;
      const patch = podStatusPatch(this.#newest(turn.info, written), change, this.#options.env.clock.nowMs());
      if (patch === undefined) continue;
      written = (await this.#patch(turn.info, patch, signal)) ?? written;
    }
  }

  async #patch(info: PodInfo, patch: Json, signal: AbortSignal): Promise<Pod | undefined> {
    const { client, env } = this.#options;
    let pauseMs = firstPauseMs;
    for (let tries = 1; ; tries++) {
      try {
        return await client.patch(pods, {
          namespace: info.namespace,
          name: info.name,
          subresource: 'status',
          type: 'strategic',
          patch,
          signal,
        });
      } catch (error) {
        if (signal.aborted) return undefined;
        if (isNotFound(error)) return undefined;
        if (!isRetriable(error) || tries >= triesMax) {
          env.log.error('the status of a pod was not written', { pod: info.key, error });
          return undefined;
        }
      }
      await env.clock.sleep(pauseMs * (1 + 0.1 * env.random.float()), signal).catch(() => undefined);
      pauseMs *= pauseFactor;
    }
  }

  /** The newest state known: of the informer, of the last write, or of the attempt. */
  #newest(info: PodInfo, written: Pod | undefined): Pod {
    let newest = info.pod;
    for (const pod of [this.#options.livePod(info), written]) {
      if (pod === undefined || pod.metadata?.uid !== info.uid) continue;
      if (isNewerResourceVersion(pod.metadata.resourceVersion ?? '', newest.metadata?.resourceVersion ?? ''))
        newest = pod;
    }
    return newest;
  }
}

function merge(older: PodStatusChange | undefined, newer: PodStatusChange): PodStatusChange {
  return { condition: newer.condition ?? older?.condition, nominating: newer.nominating ?? older?.nominating };
}

function isRetriable(error: unknown): boolean {
  return isApiError(error, 'InternalError', 'ServiceUnavailable', 'Conflict') || isTransportError(error);
}
