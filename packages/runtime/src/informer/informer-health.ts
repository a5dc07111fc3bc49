// What an informer says of itself: its state, the failure it is recovering from, and those who want to hear of either.

import type { Env } from '@homeostat/base';
import type { InformerFailure, InformerState } from './informer.ts';

/** State and failures of one informer. Those who listen must not throw. */
export class InformerHealth {
  readonly #env: Env;
  readonly #stateHandlers = new Set<(state: InformerState) => void>();
  readonly #errorHandlers = new Set<(failure: InformerFailure) => void>();
  #state: InformerState = 'new';
  #failure: InformerFailure | undefined;

  constructor(env: Env) {
    this.#env = env;
  }

  get state(): InformerState {
    return this.#state;
  }

  get lastError(): InformerFailure | undefined {
    return this.#failure;
  }

  moveTo(state: InformerState): void {
    if (state === this.#state || this.#state === 'stopped') return;
    this.#state = state;
    for (const handler of this.#stateHandlers) handler(state);
  }

  failed(error: unknown): void {
    const failure = { error, atMs: this.#env.clock.nowMs(), count: (this.#failure?.count ?? 0) + 1 };
    this.#failure = failure;
    this.tell(failure);
  }

  /** Passes on a failure of a part. */
  tell(failure: InformerFailure): void {
    for (const handler of this.#errorHandlers) handler(failure);
  }

  recovered(): void {
    this.#failure = undefined;
  }

  onState(handler: (state: InformerState) => void): () => void {
    this.#stateHandlers.add(handler);
    return () => void this.#stateHandlers.delete(handler);
  }

  onError(handler: (failure: InformerFailure) => void): () => void {
    this.#errorHandlers.add(handler);
    return () => void this.#errorHandlers.delete(handler);
  }
}
