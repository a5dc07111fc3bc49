// Parts that start and stop together.

import { Scope } from '@homeostat/base';
import type { Leadership } from '../leader-election/leadership.ts';
import type { Runnable } from './runnable.ts';

export interface RunnableGroupOptions {
  readonly kill: AbortSignal;
  readonly onFailure: (error: unknown) => void;
  readonly leadership?: Leadership | undefined;
}

/** A part ended though nobody had asked it to. */
export class RunnableEndedError extends Error {
  override readonly name = 'RunnableEndedError';
}

export class RunnableGroup {
  readonly #options: RunnableGroupOptions;
  readonly #parts: Runnable[] = [];
  readonly #running = new Set<Runnable>();
  readonly #scope = new Scope();
  #started = false;

  constructor(options: RunnableGroupOptions) {
    this.#options = options;
  }

  get started(): boolean {
    return this.#started;
  }

  /** All parts that were added, whether they run or not. */
  get parts(): readonly Runnable[] {
    return this.#parts;
  }

  isRunning(runnable: Runnable): boolean {
    return this.#running.has(runnable);
  }

  add(runnable: Runnable): void {
    this.#parts.push(runnable);
    if (this.#started) this.#spawn(runnable);
  }

  start(): void {
    this.#started = true;
    for (const runnable of this.#parts) this.#spawn(runnable);
  }

  /** Tells all to end and waits until they have. */
  async stop(): Promise<void> {
    await this.#scope.close();
  }

  #spawn(runnable: Runnable): void {
    const { kill, leadership, onFailure } = this.#options;
    this.#running.add(runnable);
    this.#scope.spawn(runnable.name, async (signal) => {
      try {
        await runnable.run({ signal, kill, ...(leadership === undefined ? {} : { leadership }) });
        if (!signal.aborted && runnable.mayEnd !== true)
          onFailure(new RunnableEndedError(`${runnable.name} ended though the manager runs`));
      } catch (error) {
        // One part's failure stops the manager, in order; it does not tear down its neighbours.
        if (!signal.aborted) onFailure(error);
      } finally {
        this.#running.delete(runnable);
      }
    });
  }
}
