// Lets a bounded number of calls through at a time; the others wait in order (design law 10).

import { createDeferred, type Deferred } from '@homeostat/base';

export class Gate {
  readonly #limit: number;
  readonly #waiting: Deferred<void>[] = [];
  #inside = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#limit) {
      this.#inside++;
    } else {
      const turn = createDeferred<void>();
      this.#waiting.push(turn);
      await turn.promise;
    }
    try {
      return await task();
    } finally {
      // The place is handed over, so that nobody overtakes.
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside--;
      else next.resolve();
    }
  }
}
