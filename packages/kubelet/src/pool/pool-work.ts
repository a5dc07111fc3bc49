// The one queue of everything that is due in a pool: Pods to look at, probes, node statuses, leases. A key is never worked on twice at a
// time; all waits share one timer.

import { type Env, Pacer } from '@homeostat/base';
import { createRateLimitingQueue, type RateLimitingQueue } from '@homeostat/runtime';

export type WorkKind = 'node' | 'lease' | 'pod' | 'probe';

export type WorkHandler = (id: string) => Promise<void> | void;

export class PoolWork {
  readonly #env: Env;
  readonly #handlers: Readonly<Record<WorkKind, WorkHandler>>;
  readonly #queue: RateLimitingQueue;
  readonly #underWay = new Set<Promise<void>>();

  constructor(env: Env, handlers: Readonly<Record<WorkKind, WorkHandler>>) {
    this.#env = env;
    this.#handlers = handlers;
    this.#queue = createRateLimitingQueue({ env });
  }

  /** Asks for a call of the kind's handler. Of several delays the earliest counts. */
  request(kind: WorkKind, id: string, delayMs = 0): void {
    this.#queue.addAfter(`${kind}|${id}`, delayMs);
  }

  /** Works until `signal` aborts, then waits for what is under way. */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const onAbort = (): void => this.#queue.shutDown();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const pacer = new Pacer(this.#env.clock);
    for (
      let key = await this.#queue.get();
      key !== undefined;
      key = this.#queue.tryGet() ?? (await this.#queue.get())
    ) {
      if (!signal.aborted) this.#start(key);
      else this.#queue.done(key);
      if (pacer.due()) await pacer.yield();
    }
    await Promise.all(this.#underWay);
    signal.removeEventListener('abort', onAbort);
  }

  #start(key: string): void {
    const at = key.indexOf('|');
    const kind = key.slice(0, at) as WorkKind;
    const id = key.slice(at + 1);
    const fail = (error: unknown): void => {
      this.#env.log.error('work of a node agent failed and is tried again', { kind, id, error });
      this.#queue.addRateLimited(key);
    };
    let result: Promise<void> | void = undefined;
    try {
      result = this.#handlers[kind](id);
    } catch (error) {
      fail(error);
    }
    if (result === undefined) {
      this.#queue.done(key);
      return;
    }
    const promise: Promise<void> = result.catch(fail).finally(() => {
      this.#underWay.delete(promise);
      this.#queue.done(key);
    });
    this.#underWay.add(promise);
  }
}
