// Runs one key: through the read-your-writes fence, then observe → diff → act or the plain reconcile, then back-off, requeue or rest.
// Which keys run, and how many at once, is the controller's.

import { type Env, InvariantError } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { type Client, isConflict, type ObjectKey, splitKey } from '@homeostat/client';
import { findKnown } from '../informer/namespace-set.ts';
import { createLeaderClient } from '../leader-election/leader-client.ts';
import type { Leadership } from '../leader-election/leadership.ts';
import type { RateLimitingQueue } from '../workqueue/rate-limiting-queue.ts';
import { act, type ActionRecord, type ActResult } from './act.ts';
import type { ControllerDefinition, ReconcileResult } from './controller-definition.ts';
import type { ControllerCaches } from './controller-caches.ts';
import type { ControllerDependencies, RunRecord } from './controller-dependencies.ts';
import { createFencedClient, fenceId, type SentWrite, type WriteResult } from './fenced-client.ts';
import type { OwnWrites } from './own-writes.ts';
import type { EventAction, Plan } from './plan.ts';
import type { ReconcileMetrics, ReconcileOutcome } from './reconcile-metrics.ts';
import { isDefect, isTerminal, throwFailures, toRunError } from './run-failure.ts';
import type { ControllerObservers, RunObserver } from './run-observer.ts';
import { latestChange, type ReasonBook, type RunReasons } from './run-reasons.ts';
import { Run } from './run.ts';
import type { WatchedResources } from './watched-resources.ts';
import type { LiveRead, WriteFence } from './write-fence.ts';

export interface ReconcilerParts {
  readonly definition: ControllerDefinition;
  readonly dependencies: ControllerDependencies;
  readonly queue: RateLimitingQueue;
  readonly watched: WatchedResources;
  readonly caches: ControllerCaches;
  readonly fence: WriteFence;
  readonly reasons: ReasonBook;
  readonly ownWrites: OwnWrites;
  readonly observers: ControllerObservers | undefined;
  readonly metrics: ReconcileMetrics;
}

/** A key under work. */
export interface RunUnderWay {
  readonly run: Run;
  readonly reasons: RunReasons;
  /** Monotonic milliseconds. */
  readonly startedMs: number;
}

/** Runs of one key in a row that may be superseded; the next one finishes, so that a busy object gets somewhere. */
const supersededMax = 5;

type Result = ReconcileResult | { readonly requeueAfterMs?: number | undefined } | void;

export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #env: Env;
  readonly #underWay = new Map<ObjectKey, RunUnderWay>();
  /** Superseded runs in a row. */
  readonly #superseded = new Map<ObjectKey, number>();
  /** Keys whose last run succeeded and asked to be called again by the rate limiter; what that counts are then no failures. */
  readonly #askingAgain = new Set<ObjectKey>();
  #client: Client;

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    this.#env = parts.dependencies.env;
    this.#client = parts.dependencies.client;
  }

  /** Keys under work, the fence behind them. */
  get underWay(): ReadonlyMap<ObjectKey, RunUnderWay> {
    return this.#underWay;
  }

  /** All writes from now on are the leader's. */
  writeAs(leadership: Leadership): void {
    this.#client = createLeaderClient({ client: this.#parts.dependencies.client, leadership });
  }

  /** Works on a key that was taken from the queue; the caller gives it back. Rejects only for defects of the runtime. */
  async handle(key: ObjectKey, kill: AbortSignal): Promise<void> {
    const { fence, queue, reasons: book, observers, metrics } = this.#parts;
    if (this.#isOutOfScope(key)) {
      // Another's business now; when its namespace comes back, its addition wakes it.
      fence.forget(key);
      queue.forget(key);
      this.#askingAgain.delete(key);
      book.take(key);
      return;
    }
    const restMs = observers?.restMs(key) ?? 0;
    if (restMs > 0) {
      queue.addAfter(key, restMs, { priority: queue.priorityOf(key) });
      return;
    }
    const uid = this.#objectOf(key, this.#parts.caches)?.metadata?.uid;
    const passage = fence.check(key, uid);
    if (passage.status === 'blocked') {
      queue.addAfter(key, passage.waitMs, { priority: queue.priorityOf(key) });
      return;
    }
    const { clock } = this.#env;
    const startedMs = clock.monotonicMs();
    const wallMs = clock.nowMs();
    const reasons = book.take(key);
    const attempt = this.#askingAgain.has(key) ? 1 : queue.failures(key) + 1;
    const run = this.#newRun(key, kill);
    this.#underWay.set(key, { run, reasons, startedMs });
    const observer = observers?.started({
      key,
      uid,
      reasons,
      attempt,
      startedMs: wallMs,
      live: passage.status === 'live',
    });
    metrics.started();
    let result: Result = undefined;
    let failure: Error | undefined;
    let panicked = false;
    try {
      const live = passage.status === 'live' ? passage.resources : [];
      result = await this.#traced(key, async () => {
        const caches = live.length === 0 ? this.#parts.caches : await this.#readLive(key, live, run.signal);
        run.object = this.#objectOf(key, caches);
        return checked(await this.#reconcile(run, caches, reasons, observer));
      });
    } catch (error) {
      // A defect of ours: no retry mends it.
      if (error instanceof InvariantError) throw error;
      failure = toRunError(error);
      panicked = isDefect(error);
    }
    this.#underWay.delete(key);
    this.#end(run);
    const outcome = failure === undefined ? this.#settle(key, result) : this.#failed(run, failure, reasons);
    const timedOut = run.cut === 'timeout';
    metrics.finished(outcome, (clock.monotonicMs() - startedMs) / 1000, { panicked, timedOut });
    const record = { key, reasons, attempt, outcome, startedMs: wallMs, endedMs: clock.nowMs(), writes: run.writes };
    const error = failure === undefined ? {} : { error: failure };
    this.#tell({ ...record, ...error, live: passage.status === 'live' }, observer);
  }

  #isOutOfScope(key: ObjectKey): boolean {
    const { watched, definition } = this.#parts;
    return watched.informer(fenceId(definition.for.resource))?.knows(splitKey(key).namespace) === false;
  }

  #traced<T>(key: ObjectKey, work: () => Promise<T>): Promise<T> {
    const { tracer } = this.#env;
    if (tracer === undefined) return work();
    const { namespace = '', name } = splitKey(key);
    const attributes = {
      'controller.name': this.#parts.definition.name,
      ...(namespace === '' ? {} : { 'object.namespace': namespace }),
      'object.name': name,
    };
    return tracer.span('reconcile', { attributes }, work);
  }

  /** A cache has moved on: keys whose writes it has gone past without showing them look again. */
  reached(resource: string, version: string): void {
    const { ownWrites, queue, reasons } = this.#parts;
    for (const key of ownWrites.reached(resource, version)) {
      reasons.add(key, { type: 'unseen-write', resource });
      queue.add(key);
    }
  }

  #newRun(key: ObjectKey, kill: AbortSignal): Run {
    const { definition, watched, ownWrites } = this.#parts;
    const inARow = this.#superseded.get(key) ?? 0;
    const run: Run = new Run({
      key,
      resource: fenceId(definition.for.resource),
      clock: this.#env.clock,
      kill,
      timeoutMs: definition.timeoutMs,
      supersede: inARow < supersededMax ? definition.supersede : undefined,
      ownWrites,
      known: (resource, object) => this.#known(run, resource, object),
      isCached: (resource) => watched.informer(resource) !== undefined,
      asCached: (resource, object) =>
        watched.get(resource)?.watch.metadataOnly === true
          ? { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: object.metadata ?? {} }
          : object,
    });
    return run;
  }

  #known(run: Run, resource: string, object: ObjectKey): KubeObject | undefined {
    const written = run.writtenTo(resource).get(object);
    if (written !== undefined && 'object' in written) return written.object;
    return findKnown(this.#parts.watched.informer(resource)?.lister, object);
  }

  /** Wake-ups that waited for the run's end, and the one a superseded run owes its key. */
  #end(run: Run): void {
    const { queue, reasons, watched } = this.#parts;
    const { key } = run;
    // The cache may have gone past an answer before it came.
    for (const resource of run.writtenResources) {
      this.reached(resource, watched.informer(resource)?.resourceVersion ?? '');
    }
    for (const { reason, priority } of run.end()) {
      reasons.add(key, reason);
      queue.add(key, { priority });
    }
    if (run.cut !== 'superseded') {
      this.#superseded.delete(key);
      return;
    }
    this.#superseded.set(key, (this.#superseded.get(key) ?? 0) + 1);
    reasons.add(key, { type: 'superseded' });
    queue.add(key, { priority: queue.priorityOf(key) });
  }

  async #readLive(key: ObjectKey, reads: readonly LiveRead[], signal: AbortSignal): Promise<ControllerCaches> {
    const { dependencies, fence, definition, ownWrites } = this.#parts;
    const { client, reader = client } = dependencies;
    const level = definition.consistent === undefined ? 'warn' : 'debug';
    this.#env.log[level]('the cache does not show enough yet: reading live', { controller: definition.name, key });
    let caches = this.#parts.caches;
    for (const { resource, namespace } of reads) {
      const read = await caches.readLive(reader, resource, namespace, signal);
      caches = read.caches;
      fence.readLive(key, resource, read.resourceVersion);
      if (read.differs) ownWrites.seenLive(key, resource, read.resourceVersion);
    }
    const own = fenceId(definition.for.resource);
    if (reads.some(({ resource }) => resource === own)) {
      fence.seenLive(key, this.#objectOf(key, caches)?.metadata?.uid, own);
    }
    return caches;
  }

  async #reconcile(
    run: Run,
    caches: ControllerCaches,
    reasons: RunReasons,
    observer: RunObserver | undefined,
  ): Promise<Result> {
    const { definition } = this.#parts;
    const client = this.#clientOf(run, observer);
    const { key, signal } = run;
    if ('reconcile' in definition) {
      return definition.reconcile({
        key,
        caches: caches.withWrites(run.writtenTo),
        client,
        env: this.#env,
        signal,
        act: async (plan) => {
          const result = await this.#act(run, plan, { client, reasons, observer });
          throwFailures(result);
          return result.outcomes;
        },
      });
    }
    const observed = definition.observe(key, caches);
    if (observed === undefined) return undefined;
    const plan = definition.diff(observed, this.#env.clock.nowMs());
    if (plan.steps.length === 0 && plan.next === undefined && plan.failure === undefined) {
      return { requeueAfterMs: plan.requeueAfterMs };
    }
    const result = await this.#act(run, plan, { client, reasons, observer });
    throwFailures(result);
    // Actions that were skipped are not done.
    if (run.cut !== undefined) signal.throwIfAborted();
    return result;
  }

  #act(
    run: Run,
    plan: Plan,
    {
      client,
      reasons,
      observer,
    }: { readonly client: Client; readonly reasons: RunReasons; readonly observer: RunObserver | undefined },
  ): Promise<ActResult> {
    const { definition, dependencies } = this.#parts;
    const { recordEvent, onAction, parallelMax, dryRun } = dependencies;
    const source = definition.eventSource ?? definition.name;
    const wokenBy = latestChange(reasons);
    const origin = { controller: definition.name, key: run.key, reasons };
    return act(plan, {
      client,
      env: this.#env,
      signal: run.signal,
      ...(recordEvent === undefined ? {} : { recordEvent: (action: EventAction) => recordEvent(action, source) }),
      ...(onAction === undefined
        ? {}
        : {
            onAction: (record: ActionRecord) =>
              onAction({ ...record, ...origin, ...(wokenBy === undefined ? {} : { wokenBy }) }),
          }),
      onSend: observer?.acting,
      ...(parallelMax === undefined ? {} : { parallelMax }),
      ...(dryRun === undefined ? {} : { dryRun }),
    });
  }

  #clientOf(run: Run, observer: RunObserver | undefined): Client {
    const { fence, watched } = this.#parts;
    const uid = run.object?.metadata?.uid;
    const client = createFencedClient({
      client: this.#client,
      note: (write) => fence.written(run.key, uid, write),
      uidOf: (resource, object) => findKnown(watched.informer(resource)?.lister, object)?.metadata?.uid,
      sending: observer === undefined ? run.sending : (write) => this.#sending(run, observer, write),
      signal: run.signal,
    });
    return observer?.wrapClient?.(client) ?? client;
  }

  #sending(run: Run, observer: RunObserver, write: SentWrite): (result?: WriteResult, error?: unknown) => void {
    const observed = observer.sending?.(write, this.#known(run, write.resource, write.object));
    const settle = run.sending(write);
    return (result, error) => {
      settle(result);
      observed?.(result, error);
    };
  }

  #objectOf(key: ObjectKey, caches: ControllerCaches): KubeObject | undefined {
    return caches.lister(this.#parts.definition.for.resource).getByKey(key);
  }

  #settle(key: ObjectKey, result: Result): ReconcileOutcome {
    const { queue, reasons } = this.#parts;
    if (result?.requeueAfterMs !== undefined && !(result.requeueAfterMs > 0) && !isActed(result)) {
      // Failures before don't count: the run succeeded.
      if (!this.#askingAgain.has(key)) queue.forget(key);
      this.#askingAgain.add(key);
      reasons.add(key, { type: 'requeue', afterMs: 0 });
      queue.addRateLimited(key, { priority: queue.priorityOf(key) });
      return 'requeue';
    }
    this.#askingAgain.delete(key);
    queue.forget(key);
    if (result?.requeueAfterMs === undefined) return 'success';
    reasons.add(key, { type: 'requeue', afterMs: result.requeueAfterMs });
    queue.addAfter(key, result.requeueAfterMs, { priority: queue.priorityOf(key) });
    return 'requeue_after';
  }

  #failed({ key, cut, kill }: Run, error: Error, reasons: RunReasons): ReconcileOutcome {
    if (cut === 'superseded') return 'superseded';
    const { definition, queue, reasons: book } = this.#parts;
    const { log } = this.#env;
    if (this.#askingAgain.delete(key)) queue.forget(key); // the runs before did not fail
    const fields = { controller: definition.name, key, error, reasons: reasons.reasons };
    if (kill.aborted) {
      log.info('a reconcile was cut short by the stop', fields);
      return 'error';
    }
    if (isTerminal(error)) {
      queue.forget(key);
      log.error('a reconcile failed for good', fields);
      return 'terminal_error';
    }
    if (queue.failures(key) >= (definition.retriesMax ?? Infinity)) {
      queue.forget(key);
      log.error('a key is dropped after too many failures', fields);
      return 'error';
    }
    // Conflicts are the ordinary way to hear that the cache was behind.
    if (isConflict(error)) log.debug('a write conflicted; the key is looked at again', fields);
    else log.error('a reconcile failed', fields);
    queue.addRateLimited(key, { priority: queue.priorityOf(key) });
    book.add(key, { type: 'retry', failures: queue.failures(key) });
    return 'error';
  }

  /** Who listens must not end a worker by an error of theirs. */
  #tell(told: Omit<RunRecord, 'controller'>, observer: RunObserver | undefined): void {
    const { definition, dependencies } = this.#parts;
    if (dependencies.onRun === undefined && observer === undefined) return;
    const record = { controller: definition.name, ...told };
    try {
      dependencies.onRun?.(record);
    } catch (error) {
      this.#env.log.error('a listener of runs failed', { controller: record.controller, key: record.key, error });
    }
    observer?.ended(record);
  }
}

/** Whether a plan did something: what is left of it goes on at once. */
function isActed(result: Result): boolean {
  return typeof result === 'object' && 'outcomes' in result;
}

/** Not a number means no time at all, again and again: a slip, e.g. of a date that was not there. @throws TypeError */
function checked(result: Result): Result {
  const afterMs: unknown = result?.requeueAfterMs;
  if (afterMs !== undefined && (typeof afterMs !== 'number' || Number.isNaN(afterMs)))
    throw new TypeError(
      `requeueAfterMs must be a number of milliseconds, got ${typeof afterMs === 'number' ? afterMs : typeof afterMs}`,
    );
  return result;
}
