// What a pod worker remembers of starts that failed: why, for the status, and how long to wait, for the next try.

import type { Env } from '@homeostat/base';
import { nextImageBackOff } from '../pod/back-off.ts';
import type { StartFailure } from '../pod/pod-facts.ts';
import type { BackOffMemory } from '../pod/start-decision.ts';
import type { StartResult } from './start-container.ts';

export class StartMemory {
  readonly #env: Env;
  readonly #failures = new Map<string, StartFailure>();
  #backOffs: BackOffMemory = { containers: new Map(), images: new Map() };

  constructor(env: Env) {
    this.#env = env;
  }

  /** By container. */
  get failures(): ReadonlyMap<string, StartFailure> {
    return this.#failures;
  }

  get backOffs(): BackOffMemory {
    return this.#backOffs;
  }

  /** Takes over what a plan found. Returns whether some container waits for another reason than before. */
  plan(backOffs: BackOffMemory, failures: ReadonlyMap<string, StartFailure>): boolean {
    this.#backOffs = backOffs;
    let news = false;
    for (const [name, failure] of failures) {
      const known = this.#failures.get(name);
      if (known?.reason === failure.reason && known.message === failure.message) continue;
      this.#failures.set(name, failure);
      news = true;
    }
    return news;
  }

  /** Takes in how the start of a container went. */
  note(container: string, image: string, result: StartResult): void {
    const images = new Map(this.#backOffs.images);
    if (result.ok) {
      this.#failures.delete(container);
      if (!images.delete(image)) return;
    } else {
      this.#failures.set(container, result.failure);
      if (!result.pullFailed) return;
      const { reason, message } = result.failure;
      images.set(image, nextImageBackOff(images.get(image), `${reason}: ${message}`, this.#env.clock.nowMs()));
    }
    this.#backOffs = { ...this.#backOffs, images };
  }

  /** Nothing will be started any more. */
  clear(): void {
    this.#failures.clear();
  }
}
