// Which mutating webhooks run again in the second round of one request: those that ask for it (`IfNeeded`) and after whose
// call the object changed (spec/apiserver.md §15.3).

import { cloneJson, deepEqual, type KubeObject } from '@homeostat/machinery';

export class ReinvokedWebhooks {
  #lastOutput: KubeObject | undefined;
  #called = new Set<string>();
  readonly #again = new Set<string>();

  /** Whether built-in plugins changed the object since the webhooks of the last round were done with it. */
  isChangedSince(object: KubeObject | undefined): boolean {
    return !deepEqual(this.#lastOutput, object);
  }

  /** Keeps a copy of the object as the webhooks left it. */
  roundDone(object: KubeObject | undefined): void {
    this.#lastOutput = object === undefined ? undefined : cloneJson(object);
  }

  /** A webhook that wants to see later changes was called. */
  called(uid: string): void {
    this.#called.add(uid);
  }

  /** The object changed: all that were called before shall see it. */
  changed(): void {
    for (const uid of this.#called) this.#again.add(uid);
    this.#called = new Set();
  }

  runsAgain(uid: string): boolean {
    return this.#again.has(uid);
  }
}
