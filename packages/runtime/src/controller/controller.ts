// Stage 5 of the loop: a controller over its definition. It joins watches to a queue, and runs the workers that take keys from it. One
// run of one key is `reconciler.ts`; what to do is the definition's.

import { Pacer, Scope } from '@homeostat/base';
import { keyOf, type ObjectKey, resourceId } from '@homeostat/client';
import type { Change } from '../informer/change.ts';
import type { Leadership } from '../leader-election/leadership.ts';
import { createRateLimitingQueue, type RateLimitingQueue } from '../workqueue/rate-limiting-queue.ts';
import { lowPriority } from '../workqueue/work-queue.ts';
import { ControllerCaches } from './controller-caches.ts';
import type { ControllerDefinition, Wake, WatchDefinition } from './controller-definition.ts';
import type { ControllerDependencies, ControllerStatus } from './controller-dependencies.ts';
import { fenceId } from './fenced-client.ts';
import { OwnWrites } from './own-writes.ts';
import type { Plan } from './plan.ts';
import { createReconcileMetrics } from './reconcile-metrics.ts';
import { Reconciler } from './reconciler.ts';
import { ControllerObservers } from './run-observer.ts';
import { ReasonBook, type RunReason } from './run-reasons.ts';
import { wakeSelf } from './wakes.ts';
import { WatchedResources } from './watched-resources.ts';
import { WriteFence } from './write-fence.ts';

export interface RunOptions {
  /** Stops taking keys; reconciles under way may finish. */
  readonly signal: AbortSignal;
  /** Cuts reconciles under way short; default never. */
  readonly kill?: AbortSignal;
  /** Runs under it write as its leader: not at all once its term is over, and marked with it before. Managers that elect give it. */
  readonly leadership?: Leadership;
}

/** A controller over its definition. */
export interface Controller {
  readonly name: string;
  /** Whether all caches are filled and their first contents have woken their keys. */
  hasSynced(): boolean;
  /** Wakes a key, e.g. for a channel that no watch covers. */
  wake(wake: Wake): void;
  /** Takes a key that waits for a run, or for a later one, out of the queue, and ends its run of failures. Whether there was one. */
  cancel(key: ObjectKey): boolean;
  /**
   * Watches one more resource from now on, until the returned function is called; it resolves when no more wake-ups come from it. Its
   * cache is readable at once and fills. @throws Error when the resource is watched already, or the controller has stopped.
   */
  watch(definition: WatchDefinition): () => Promise<void>;
  /** Waits for the caches, then works until `signal` aborts and the last reconcile has ended. @throws Error after `syncTimeoutMs`. */
  run(options: RunOptions): Promise<void>;
  /** What would be done for a key now; undefined when nothing is observed, or the controller makes no plans. Nothing is done. */
  plan(key: ObjectKey): Plan | undefined;
  /** Keys of the resource that is reconciled, as the cache has them now. */
  keys(): readonly ObjectKey[];
  /**
   * For health checks: what keeps it from working, in words; undefined when nothing does. A resource that is not served does,
   * also when its definition went away later; one that is optional doesn't.
   */
  check(): string | undefined;
  /** For diagnostics. O(keys). */
  status(): ControllerStatus;
  /** Keys waiting, and keys whose writes have not been seen yet. */
  readonly queueLength: number;
  readonly fencedKeys: number;
}

/**
 * Creates a controller and asks the factory for its informers; nothing runs before `run`.
 *
 * @throws RangeError for a concurrency, time limit or `parallelMax` that would stand still; Error for a resource that is declared twice.
 */
export function createController<Observed>(
  definition: ControllerDefinition<Observed>,
  dependencies: ControllerDependencies,
): Controller {
  return new ControllerRunner(definition as ControllerDefinition, dependencies);
}

const defaultFenceLimitMs = 10_000;
const consistentLimitMs = 1_000;

class ControllerRunner implements Controller {
  readonly name: string;
  readonly #definition: ControllerDefinition;
  readonly #dependencies: ControllerDependencies;
  readonly #queue: RateLimitingQueue;
  readonly #watched: WatchedResources;
  readonly #caches: ControllerCaches;
  readonly #fence: WriteFence;
  readonly #reasons = new ReasonBook();
  readonly #observers: ControllerObservers | undefined;
  readonly #ownWrites = new OwnWrites();
  readonly #ignoresOwnWrites: boolean;
  readonly #reconciler: Reconciler;
  #state: 'new' | 'running' | 'stopped' = 'new';

  constructor(definition: ControllerDefinition, dependencies: ControllerDependencies) {
    checkDefinition(definition, dependencies);
    this.name = definition.name;
    this.#definition = definition;
    this.#dependencies = dependencies;
    const { env, informers, observers = [] } = dependencies;
    if (observers.length > 0) this.#observers = new ControllerObservers(this.#definition, observers, env);
    this.#queue = createRateLimitingQueue({
      env,
      name: definition.name,
      fairness: definition.fairness,
      ...(definition.agingMsPerPoint === undefined ? {} : { agingMsPerPoint: definition.agingMsPerPoint }),
      ...(definition.rateLimiter === undefined ? {} : { limiter: definition.rateLimiter(env) }),
    });
    this.#watched = new WatchedResources({
      name: definition.name,
      informers,
      onChange: (watch, change) => this.#onChange(watch, change),
      onProgress: (id, version, object) => {
        this.#fence.progressed(id, version, object);
        this.#reconciler.reached(id, version);
      },
    });
    for (const watch of [definition.for, ...(definition.watches ?? [])]) this.#watched.add(watch);
    for (const resource of definition.consistent ?? []) {
      if (this.#watched.get(fenceId(resource)) === undefined)
        throw new Error(
          `controller ${definition.name} wants ${resourceId(resource)} consistent but does not declare it`,
        );
    }
    this.#caches = new ControllerCaches(definition.name, this.#watched);
    this.#fence = new WriteFence({
      clock: env.clock,
      limitMs: dependencies.fenceLimitMs ?? defaultFenceLimitMs,
      cacheOf: (resource) => this.#watched.informer(resource),
      consistent: (definition.consistent ?? []).map(fenceId),
      consistentLimitMs: Math.min(consistentLimitMs, dependencies.fenceLimitMs ?? defaultFenceLimitMs),
      wake: (key) => this.#queue.add(key),
    });
    this.#ignoresOwnWrites = (definition.ownWrites ?? ('reconcile' in definition ? 'ignore' : 'wake')) === 'ignore';
    const { concurrency = 1 } = definition;
    this.#reconciler = new Reconciler({
      definition,
      dependencies,
      queue: this.#queue,
      watched: this.#watched,
      caches: this.#caches,
      fence: this.#fence,
      reasons: this.#reasons,
      ownWrites: this.#ownWrites,
      observers: this.#observers,
      metrics: createReconcileMetrics({ controller: definition.name, concurrency, metrics: env.metrics }),
    });
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  get fencedKeys(): number {
    return this.#fence.size;
  }

  hasSynced(): boolean {
    return this.#state !== 'new' && this.#watched.hasSynced();
  }

  wake(wake: Wake): void {
    this.#enqueue(wake, 0, { type: 'wake' });
  }

  cancel(key: ObjectKey): boolean {
    this.#reasons.take(key);
    this.#fence.stopWaking(key);
    // Nothing may be left of a key that never runs again.
    if (!this.#reconciler.underWay.has(key)) this.#queue.forget(key);
    return this.#queue.cancel(key);
  }

  watch(definition: WatchDefinition): () => Promise<void> {
    return this.#watched.add(definition);
  }

  plan(key: ObjectKey): Plan | undefined {
    const definition = this.#definition;
    if ('reconcile' in definition) return undefined;
    const observed = definition.observe(key, this.#caches);
    return observed === undefined ? undefined : definition.diff(observed, this.#dependencies.env.clock.nowMs());
  }

  keys(): readonly ObjectKey[] {
    return this.#caches.lister(this.#definition.for.resource).list().map(keyOf);
  }

  check(): string | undefined {
    if (this.#state !== 'running')
      return `controller ${this.name} is ${this.#state === 'new' ? 'not started' : 'stopped'}`;
    const unavailable = this.#watched.unavailable();
    if (unavailable.length === 0) return undefined;
    return `controller ${this.name} waits for ${unavailable.join(', ')}`;
  }

  status(): ControllerStatus {
    const nowMs = this.#dependencies.env.clock.monotonicMs();
    return {
      name: this.name,
      synced: this.hasSynced(),
      missing: this.#watched.missing(),
      queue: this.#queue.contents(),
      fencedKeys: this.#fence.size,
      running: Array.from(this.#reconciler.underWay.values(), ({ run, reasons, startedMs }) => ({
        key: run.key,
        forMs: nowMs - startedMs,
        reasons,
        writes: run.writes,
      })),
    };
  }

  async run({ signal, kill = neverAborts, leadership }: RunOptions): Promise<void> {
    if (this.#state !== 'new') throw new Error(`controller ${this.name} was run twice`);
    this.#state = 'running';
    if (leadership !== undefined) this.#reconciler.writeAs(leadership);
    this.#watched.start();
    try {
      await this.#waitForSync(signal);
      for (const key of this.#definition.startKeys ?? []) this.#enqueue(key, 0, { type: 'start' });
      await this.#work(signal, kill);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#state = 'stopped';
      // Also when it never got to work: delays must not outlive it.
      this.#queue.shutDown();
      await this.#watched.end();
    }
  }

  async #waitForSync(signal: AbortSignal): Promise<void> {
    const { syncTimeoutMs } = this.#definition;
    if (syncTimeoutMs === undefined) return this.#watched.waitForSync(signal);
    const timedOut = new AbortController();
    const timer = this.#dependencies.env.clock.setTimer(syncTimeoutMs, () => {
      const missing = this.#watched.unsynced().join(', ');
      timedOut.abort(new Error(`failed to wait for ${this.name} caches to sync: ${missing}: timed out`));
    });
    try {
      await this.#watched.waitForSync(AbortSignal.any([signal, timedOut.signal]));
    } finally {
      timer.cancel();
    }
  }

  async #work(signal: AbortSignal, kill: AbortSignal): Promise<void> {
    // Aborts for a worker that fails too: the others must not wait for keys for ever while nobody hears of it.
    const scope = new Scope({ signal });
    const stop = (): void => this.#queue.shutDown();
    if (signal.aborted) stop();
    scope.signal.addEventListener('abort', stop, { once: true });
    const workers = this.#definition.concurrency ?? 1;
    for (let i = 0; i < workers; i++) scope.spawn(`${this.name} worker`, (inner) => this.#worker(inner, kill));
    await scope.join();
  }

  async #worker(signal: AbortSignal, kill: AbortSignal): Promise<void> {
    const pacer = new Pacer(this.#dependencies.env.clock, undefined, true);
    // Keys left at a stop are looked at by whoever runs next.
    while (!signal.aborted) {
      const key = this.#queue.tryGet() ?? (await this.#queue.get());
      if (key === undefined) return;
      try {
        await this.#reconciler.handle(key, kill);
      } finally {
        this.#queue.done(key);
      }
      if (pacer.due()) await pacer.yield();
    }
  }

  #onChange(watch: WatchDefinition, change: Change): void {
    this.#ownWrites.shows(fenceId(watch.resource), change);
    const isOwnKind = watch === this.#definition.for;
    if (isOwnKind) this.#reconciler.underWay.get(keyOf(change.object))?.run.objectChanged(change);
    if (change.type === 'updated' && watch.predicate?.(change.old, change.object) === false) return;
    const wakes = watch.wakes === undefined ? (isOwnKind ? wakeSelf(change) : []) : watch.wakes(change, this.#caches);
    // Nobody waits for these: live changes go first.
    const priority = change.type === 'resync' || (change.type === 'added' && change.initial) ? lowPriority : 0;
    const reason: RunReason = {
      type: 'change',
      resource: watch.resource.resource,
      change: change.type,
      object: keyOf(change.object),
      group: watch.resource.group,
      version: change.object.metadata?.resourceVersion ?? '',
      uid: change.object.metadata?.uid ?? '',
    };
    for (const wake of wakes) {
      if (this.#ignoresOwnWrites && this.#isOwnWrite(watch, change, wake, { priority, reason })) continue;
      this.#enqueue(wake, priority, reason);
    }
  }

  /** Whether the change shows nothing but what the woken key wrote. While the key is under work, that is decided at the end of its run. */
  #isOwnWrite(
    watch: WatchDefinition,
    change: Change,
    wake: Wake,
    held: { readonly priority: number; readonly reason: RunReason },
  ): boolean {
    const { key, afterMs = 0, priority = held.priority } = typeof wake === 'string' ? { key: wake } : wake;
    const resource = fenceId(watch.resource);
    if (this.#ownWrites.explains(key, resource, change)) return true;
    if (afterMs > 0) return false;
    const run = this.#reconciler.underWay.get(key)?.run;
    return run?.hold({ resource, change, reason: held.reason, priority }) === true;
  }

  #enqueue(wake: Wake, priority: number, reason: RunReason): void {
    if (this.#queue.shuttingDown) return;
    this.#observers?.woken(typeof wake === 'string' ? wake : wake.key, reason);
    if (typeof wake === 'string') {
      this.#queue.add(wake, { priority });
      this.#reasons.add(wake, reason);
      return;
    }
    this.#queue.addAfter(wake.key, wake.afterMs ?? 0, { priority: wake.priority ?? priority });
    this.#reasons.add(wake.key, reason);
  }
}

/** What the types can't say. @throws RangeError */
function checkDefinition(definition: ControllerDefinition, { parallelMax = 1 }: ControllerDependencies): void {
  const { name, concurrency = 1, timeoutMs } = definition;
  if (!(Number.isInteger(concurrency) && concurrency >= 1))
    throw new RangeError(`controller ${name}: concurrency must be a whole number above 0, got ${concurrency}`);
  if (!(parallelMax >= 1)) throw new RangeError(`controller ${name}: parallelMax must be above 0, got ${parallelMax}`);
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw new RangeError(`controller ${name}: timeoutMs must be above 0, got ${timeoutMs}`);
}

const neverAborts = new AbortController().signal;
