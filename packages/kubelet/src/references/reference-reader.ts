// Looks ConfigMaps and Secrets up for Pods that refer to them. What was found is remembered for a few seconds, because the Pods of one
// template come together; what was missing is not.

import type { Container, Pod } from '@homeostat/api/types/core-v1';
import type { Env } from '@homeostat/base';
import { type Client, isNotFound } from '@homeostat/client';
import { configMaps, secrets } from '@homeostat/client/resources';
import {
  environmentProblem,
  environmentReferences,
  type Reference,
  volumeProblem,
  volumeReferences,
} from './pod-references.ts';

const freshMs = 5_000;
const sizeMax = 1_000;

interface Found {
  readonly keys: ReadonlySet<string>;
  readonly atMs: number;
}

export class ReferenceReader {
  readonly #env: Env;
  readonly #client: Client;
  /** Oldest first. */
  readonly #found = new Map<string, Found>();

  constructor(env: Env, client: Client) {
    this.#env = env;
    this.#client = client;
  }

  /** Why a volume of the Pod can't be mounted; undefined when all can. */
  async volumeProblem(pod: Pod, signal: AbortSignal): Promise<string | undefined> {
    for (const reference of volumeReferences(pod)) {
      const problem = volumeProblem(reference, await this.#keysOf(pod, reference, signal));
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** Why the container's environment can't be made; undefined when it can. */
  async environmentProblem(pod: Pod, container: Container, signal: AbortSignal): Promise<string | undefined> {
    for (const reference of environmentReferences(container)) {
      const keys = await this.#keysOf(pod, reference, signal);
      const problem = environmentProblem(reference, pod.metadata?.namespace ?? '', keys);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /** undefined: there is no such object, or it could not be read; the caller tries again either way. */
  async #keysOf(pod: Pod, { kind, name }: Reference, signal: AbortSignal): Promise<ReadonlySet<string> | undefined> {
    const namespace = pod.metadata?.namespace ?? '';
    const key = `${kind}/${namespace}/${name}`;
    const nowMs = this.#env.clock.monotonicMs();
    const known = this.#found.get(key);
    if (known !== undefined && nowMs - known.atMs < freshMs) return known.keys;
    this.#found.delete(key);
    let keys: ReadonlySet<string>;
    try {
      const object =
        kind === 'ConfigMap'
          ? await this.#client.get(configMaps, { namespace, name, signal })
          : await this.#client.get(secrets, { namespace, name, signal });
      const binary = 'binaryData' in object ? object.binaryData : undefined;
      keys = new Set([...Object.keys(object.data ?? {}), ...Object.keys(binary ?? {})]);
    } catch (error) {
      signal.throwIfAborted();
      if (!isNotFound(error))
        this.#env.log.warn('what a pod refers to could not be read', { kind, namespace, name, error });
      return undefined;
    }
    this.#found.set(key, { keys, atMs: nowMs });
    if (this.#found.size > sizeMax) {
      for (const oldest of this.#found.keys()) {
        this.#found.delete(oldest);
        break;
      }
    }
    return keys;
  }
}
