// Structured concurrency (design law 9): a task never outlives the scope that started it.

/** What a scope aborts its tasks with when it ends in the ordinary way. */
export class ScopeClosedError extends Error {
  override readonly name = 'ScopeClosedError';
}

/**
 * Owns tasks. When one of them fails the others are aborted; `close` aborts all and waits for the last to end.
 *
 * @example
 * await using scope = new Scope({ signal });
 * scope.spawn('reflector', (signal) => reflector.run({ signal }));
 */
export class Scope {
  readonly #controller = new AbortController();
  readonly #tasks = new Set<Promise<void>>();
  readonly #detach: () => void;
  #failure: { readonly error: unknown } | undefined;

  constructor(options: { readonly signal?: AbortSignal } = {}) {
    const parent = options.signal;
    if (parent === undefined) {
      this.#detach = () => {};
      return;
    }
    const onAbort = (): void => this.#controller.abort(parent.reason);
    this.#detach = () => parent.removeEventListener('abort', onAbort);
    if (parent.aborted) onAbort();
    else parent.addEventListener('abort', onAbort, { once: true });
  }

  /** Aborts when the scope closes, its parent aborts, or one of its tasks fails. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Number of tasks that have not ended. */
  get size(): number {
    return this.#tasks.size;
  }

  /**
   * Starts a task on the next microtask. A rejection after the scope was aborted is taken as the task's way of
   * ending; an earlier one aborts the scope and is thrown by `join` and `close`.
   */
  spawn(name: string, task: (signal: AbortSignal) => Promise<void>): void {
    const run = async (): Promise<void> => {
      await Promise.resolve();
      try {
        if (!this.signal.aborted) await task(this.signal);
      } catch (error) {
        if (this.signal.aborted) return;
        this.#failure ??= { error };
        this.#controller.abort(new Error(`task ${name} failed`, { cause: error }));
      }
    };
    const promise = run().finally(() => this.#tasks.delete(promise));
    this.#tasks.add(promise);
  }

  /** Waits until all tasks have ended; @throws what the first failed task threw. */
  async join(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    this.#detach();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Aborts all tasks and waits for them; @throws what the first failed task threw. */
  async close(reason: unknown = new ScopeClosedError('scope closed')): Promise<void> {
    this.#controller.abort(reason);
    await this.join();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A promise with its settling functions, for hand-overs between tasks. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function createDeferred<T>(): Deferred<T> {
  return Promise.withResolvers<T>();
}

/** Resolves when `signal` aborts; never rejects. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Waits for `promise`, but no longer than until `signal` aborts. @throws the signal's reason then. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      promise.catch(() => {}); // the loser of the race is dropped on purpose
      return;
    }
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
