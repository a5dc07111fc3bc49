// Stage 5 of the loop: workers that take keys, pass the read-your-writes fence, and run observe → diff → act (or the plain
// reconcile). One per definition. Back-off, requeues and metrics are here; what to do is the definition's.

import { type Env, InvariantError, isApiError, Pacer, Scope } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { type Client, isConflict, keyOf, type ObjectKey } from '@homeostat/client';
import type { Change } from '../informer/change.ts';
import type { InformerFactory } from '../informer/informer-factory.ts';
import { createRateLimitingQueue, type RateLimitingQueue } from '../workqueue/rate-limiting-queue.ts';
import { lowPriority } from '../workqueue/work-queue.ts';
import type { Caches } from '../store/lister.ts';
import { act, type ActionRecord, type ActResult } from './act.ts';
import {
  type ControllerDefinition,
  type PlanController,
  type ReconcileController,
  TerminalError,
  type Wake,
} from './controller-definition.ts';
import { ControllerCaches } from './controller-caches.ts';
import { createFencedClient, fenceId } from './fenced-client.ts';
import { createReconcileMetrics, type ReconcileMetrics, type ReconcileOutcome } from './reconcile-metrics.ts';
import type { EventAction, Plan } from './plan.ts';
import { wakeSelf } from './wakes.ts';
import { WriteFence } from './write-fence.ts';

export interface ControllerDependencies {
  readonly client: Client;
  /**
   * Reads what caches do not show yet; default {@link client}. It needs the rights of the informers (list), which a controller's own
   * account may lack.
   */
  readonly reader?: Client;
  readonly env: Env;
  readonly informers: InformerFactory;
  /** Takes the events of plans, e.g. an event recorder's `recordAction`. */
  readonly recordEvent?: (action: EventAction, source: string) => void;
  /** Hears of every action carried out: what `why` shows. */
  readonly onAction?: (
    record: ActionRecord & { readonly controller: string; readonly key: ObjectKey; readonly wokenBy?: WakeCause },
  ) => void;
  /** How long a key waits for its own writes to show before it reads live, milliseconds; default 10 s. */
  readonly fenceLimitMs?: number;
  /** Actions of one step under way at once; default 64. */
  readonly parallelMax?: number;
  /** All writes become dry runs. */
  readonly dryRun?: boolean;
}

/** What woke a key last; for logs and `why` only (law 1). */
export interface WakeCause {
  readonly resource: string;
  readonly change: Change['type'];
  readonly object: ObjectKey;
}

export interface RunOptions {
  /** Stops taking keys; reconciles under way may finish. */
  readonly signal: AbortSignal;
  /** Cuts reconciles under way short; default never. */
  readonly kill?: AbortSignal;
}

/** A controller over its definition. */
export interface Controller {
  readonly name: string;
  /** Whether all caches are filled and their first contents have woken their keys. */
  hasSynced(): boolean;
  /** Wakes a key, e.g. for a channel that no watch covers. */
  wake(wake: Wake): void;
  /** Waits for the caches, then works until `signal` aborts and the last reconcile has ended. */
  run(options: RunOptions): Promise<void>;
  /** What would be done for a key now; undefined when nothing is observed, or the controller makes no plans. Nothing is done. */
  plan(key: ObjectKey): Plan | undefined;
  /** Keys of the resource that is reconciled, as the cache has them now. */
  keys(): readonly ObjectKey[];
  /** Keys waiting, and keys whose writes have not been seen yet. */
  readonly queueLength: number;
  readonly fencedKeys: number;
}

/** Creates a controller and asks the factory for its informers; nothing runs before `run`. */
export function createController<Observed>(
  definition: ControllerDefinition<Observed>,
  dependencies: ControllerDependencies,
): Controller {
  return new ControllerRunner(definition as ControllerDefinition, dependencies);
}

const defaultFenceLimitMs = 10_000;

class ControllerRunner implements Controller {
  readonly name: string;
  readonly #definition: ControllerDefinition;
  readonly #dependencies: ControllerDependencies;
  readonly #env: Env;
  readonly #queue: RateLimitingQueue;
  readonly #caches: ControllerCaches;
  readonly #fence: WriteFence;
  readonly #metrics: ReconcileMetrics;
  readonly #causes = new Map<ObjectKey, WakeCause>();
  #hasSynced: () => boolean = () => false;
  #started = false;

  constructor(definition: ControllerDefinition, dependencies: ControllerDependencies) {
    this.name = definition.name;
    this.#definition = definition;
    this.#dependencies = dependencies;
    this.#env = dependencies.env;
    this.#queue = createRateLimitingQueue({
      env: dependencies.env,
      name: definition.name,
      ...(definition.rateLimiter === undefined ? {} : { limiter: definition.rateLimiter(dependencies.env) }),
    });
    this.#caches = ControllerCaches.declare(definition, dependencies.informers);
    this.#fence = new WriteFence({
      clock: dependencies.env.clock,
      limitMs: dependencies.fenceLimitMs ?? defaultFenceLimitMs,
      cacheOf: (resource) => this.#caches.informer(resource),
      wake: (key) => this.#queue.add(key),
    });
    this.#metrics = createReconcileMetrics(definition.name, dependencies.env.metrics);
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  get fencedKeys(): number {
    return this.#fence.size;
  }

  hasSynced(): boolean {
    return this.#hasSynced();
  }

  wake(wake: Wake): void {
    this.#enqueue(wake, 0);
  }

  plan(key: ObjectKey): Plan | undefined {
    const definition = this.#definition;
    if ('reconcile' in definition) return undefined;
    const observed = definition.observe(key, this.#caches);
    return observed === undefined ? undefined : definition.diff(observed, this.#env.clock.nowMs());
  }

  keys(): readonly ObjectKey[] {
    return this.#caches.lister(this.#definition.for.resource).list().map(keyOf);
  }

  async run({ signal, kill = neverAborts }: RunOptions): Promise<void> {
    if (this.#started) throw new Error(`controller ${this.name} was run twice`);
    this.#started = true;
    const registrations = this.#caches
      .watches()
      .map(({ watch, informer }) =>
        informer.addHandler(
          (change) => this.#onChange(watch, change),
          watch.resyncPeriodMs === undefined ? {} : { resyncPeriodMs: watch.resyncPeriodMs },
        ),
      );
    const unsubscribe = this.#caches
      .watches()
      .map(({ informer, watch }) =>
        informer.onProgress((version, object) => this.#fence.progressed(fenceId(watch.resource), version, object)),
      );
    this.#hasSynced = () => registrations.every((registration) => registration.hasSynced());
    try {
      for (const { informer } of this.#caches.watches()) await informer.waitForSync(signal);
      for (const key of this.#definition.startKeys ?? []) this.#queue.add(key);
      await this.#work(signal, kill);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      for (const end of unsubscribe) end();
      await Promise.all(registrations.map((registration) => registration.remove()));
    }
  }

  async #work(signal: AbortSignal, kill: AbortSignal): Promise<void> {
    const stop = (): void => this.#queue.shutDown();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const scope = new Scope();
    const workers = this.#definition.concurrency ?? 1;
    for (let i = 0; i < workers; i++) scope.spawn(`${this.name} worker`, () => this.#worker(signal, kill));
    try {
      await scope.join();
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #worker(signal: AbortSignal, kill: AbortSignal): Promise<void> {
    const pacer = new Pacer(this.#env.clock);
    // Keys left at a stop are looked at by whoever runs next.
    while (!signal.aborted) {
      const key = this.#queue.tryGet() ?? (await this.#queue.get());
      if (key === undefined) return;
      try {
        await this.#handle(key, kill);
      } finally {
        this.#queue.done(key);
      }
      if (pacer.due()) await pacer.yield();
    }
  }

  #onChange(watch: PlanController<unknown>['for'], change: Change): void {
    if (change.type === 'updated' && watch.predicate?.(change.old, change.object) === false) return;
    const wakes = watch.wakes === undefined ? this.#defaultWakes(watch, change) : watch.wakes(change, this.#caches);
    // Nobody waits for these: live changes go first.
    const priority = change.type === 'resync' || (change.type === 'added' && change.initial) ? lowPriority : 0;
    for (const wake of wakes) {
      const key = this.#enqueue(wake, priority);
      if (this.#dependencies.onAction === undefined) continue;
      const { namespace, name = '' } = change.object.metadata ?? {};
      const object = namespace === undefined ? name : `${namespace}/${name}`;
      this.#causes.set(key, { resource: watch.resource.resource, change: change.type, object });
    }
  }

  #defaultWakes(watch: PlanController<unknown>['for'], change: Change): Iterable<Wake> {
    return watch === this.#definition.for ? wakeSelf(change) : [];
  }

  #enqueue(wake: Wake, priority: number): ObjectKey {
    if (typeof wake === 'string') {
      this.#queue.add(wake, { priority });
      return wake;
    }
    this.#queue.addAfter(wake.key, wake.afterMs ?? 0, { priority: wake.priority ?? priority });
    return wake.key;
  }

  async #handle(key: ObjectKey, kill: AbortSignal): Promise<void> {
    const passage = this.#fence.check(key, this.#uidOf(key));
    if (passage.status === 'blocked') {
      this.#queue.addAfter(key, passage.waitMs, { priority: this.#queue.priorityOf(key) });
      return;
    }
    const startedMs = this.#env.clock.monotonicMs();
    let outcome: ReconcileOutcome;
    try {
      const caches = passage.status === 'open' ? this.#caches : await this.#readLive(key, passage.resources, kill);
      outcome = this.#settle(key, await this.#reconcile(key, caches, kill));
    } catch (error) {
      // A defect of ours: no retry mends it.
      if (error instanceof InvariantError) throw error;
      outcome = this.#failed(key, error, kill);
    }
    this.#metrics.finished(outcome, (this.#env.clock.monotonicMs() - startedMs) / 1000);
  }

  async #readLive(
    key: ObjectKey,
    reads: readonly { readonly resource: string; readonly namespace: string | undefined }[],
    kill: AbortSignal,
  ): Promise<Caches> {
    this.#env.log.warn('the cache does not show own writes yet: reading live', { controller: this.name, key });
    let caches: ControllerCaches = this.#caches;
    for (const { resource, namespace } of reads) {
      const { client, reader = client } = this.#dependencies;
      const read = await caches.readLive(reader, resource, namespace, kill);
      caches = read.caches;
      this.#fence.readLive(key, resource, read.resourceVersion);
    }
    return caches;
  }

  async #reconcile(
    key: ObjectKey,
    caches: Caches,
    kill: AbortSignal,
  ): Promise<{ readonly requeueAfterMs?: number | undefined } | void> {
    const definition = this.#definition;
    const client = this.#fencedClient(key);
    if ('reconcile' in definition) return this.#plain(definition, key, caches, client, kill);
    const observed = definition.observe(key, caches);
    if (observed === undefined) return undefined;
    const plan = definition.diff(observed, this.#env.clock.nowMs());
    if (plan.steps.length === 0 && plan.next === undefined && plan.failure === undefined) {
      return { requeueAfterMs: plan.requeueAfterMs };
    }
    const result = await this.#act(key, plan, client, kill);
    throwFailures(result);
    return result;
  }

  async #plain(
    definition: ReconcileController,
    key: ObjectKey,
    caches: Caches,
    client: Client,
    kill: AbortSignal,
  ): Promise<{ readonly requeueAfterMs?: number } | void> {
    return definition.reconcile({
      key,
      caches,
      client,
      env: this.#env,
      signal: kill,
      act: async (plan) => {
        const result = await this.#act(key, plan, client, kill);
        throwFailures(result);
        return result.outcomes;
      },
    });
  }

  #act(key: ObjectKey, plan: Plan, client: Client, kill: AbortSignal): Promise<ActResult> {
    const { recordEvent, onAction, parallelMax, dryRun } = this.#dependencies;
    const source = this.#definition.eventSource ?? this.name;
    const wokenBy = this.#causes.get(key);
    this.#causes.delete(key);
    return act(plan, {
      client,
      env: this.#env,
      signal: kill,
      ...(recordEvent === undefined ? {} : { recordEvent: (action: EventAction) => recordEvent(action, source) }),
      ...(onAction === undefined
        ? {}
        : {
            onAction: (record: ActionRecord) =>
              onAction({ ...record, controller: this.name, key, ...(wokenBy === undefined ? {} : { wokenBy }) }),
          }),
      ...(parallelMax === undefined ? {} : { parallelMax }),
      ...(dryRun === undefined ? {} : { dryRun }),
    });
  }

  #fencedClient(key: ObjectKey): Client {
    const uid = this.#uidOf(key);
    return createFencedClient({
      client: this.#dependencies.client,
      note: (write) => this.#fence.written(key, uid, write),
      uidOf: (resource, object) => this.#caches.informer(resource)?.lister.getByKey(object)?.metadata?.uid,
    });
  }

  #uidOf(key: ObjectKey): string | undefined {
    const object: KubeObject | undefined = this.#caches.lister(this.#definition.for.resource).getByKey(key);
    return object?.metadata?.uid;
  }

  #settle(key: ObjectKey, result: { readonly requeueAfterMs?: number | undefined } | void): ReconcileOutcome {
    this.#queue.forget(key);
    this.#causes.delete(key);
    if (result?.requeueAfterMs === undefined) return 'success';
    this.#queue.addAfter(key, result.requeueAfterMs, { priority: this.#queue.priorityOf(key) });
    return 'requeue_after';
  }

  #failed(key: ObjectKey, error: unknown, kill: AbortSignal): ReconcileOutcome {
    const fields = { controller: this.name, key, error };
    if (kill.aborted) {
      this.#env.log.info('a reconcile was cut short by the stop', fields);
      return 'error';
    }
    if (error instanceof TerminalError) {
      this.#queue.forget(key);
      this.#env.log.error('a reconcile failed for good', fields);
      return 'terminal_error';
    }
    const retriesMax = this.#definition.retriesMax ?? Infinity;
    if (this.#queue.failures(key) >= retriesMax) {
      this.#queue.forget(key);
      this.#env.log.error('a key is dropped after too many failures', fields);
      return 'error';
    }
    // Conflicts are the ordinary way to hear that the cache was behind.
    if (isConflict(error)) this.#env.log.debug('a write conflicted; the key is looked at again', fields);
    else this.#env.log.error('a reconcile failed', fields);
    this.#queue.addRateLimited(key, { priority: this.#queue.priorityOf(key) });
    return 'error';
  }
}

const neverAborts = new AbortController().signal;

/** The failure of a whole reconcile: several are told together. */
function throwFailures(result: ActResult): void {
  const failures: Error[] = result.failures.map((failure) => failure.error);
  for (const { reason, message } of result.planFailures) failures.push(new Error(`${reason}: ${message}`));
  const [first, ...rest] = failures;
  if (first === undefined) return;
  if (rest.length === 0) throw first;
  const conflict = failures.find((error) => isApiError(error, 'Conflict'));
  throw new AggregateError(failures, failures.map((error) => error.message).join('; '), { cause: conflict ?? first });
}
