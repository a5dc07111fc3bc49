// What a controller is (law 3): which changes wake which keys, `observe` (reads caches), `diff` (pure). The loop around it
// (queue, workers, executor, fence) is `controller.ts`. The plain `reconcile` form is for work that no plan can say.

import type { Env } from '@homeostat/base';
import type { Json, KubeObject } from '@homeostat/machinery';
import type { Client, ObjectKey, ResourceType } from '@homeostat/client';
import type { Change } from '../informer/change.ts';
import type { Selection } from '../informer/informer-source.ts';
import type { Caches, IndexDefinition } from '../store/lister.ts';
import type { Fairness } from '../workqueue/fair-lane.ts';
import type { RateLimiter } from '../workqueue/rate-limiter.ts';
import type { Outcome, Plan } from './plan.ts';

/** A key, or a key to look at later. */
export type Wake = ObjectKey | { readonly key: ObjectKey; readonly afterMs?: number; readonly priority?: number };

/** A resource the controller reads, and how its changes wake keys. */
export interface WatchDefinition<T extends KubeObject = KubeObject> {
  readonly resource: ResourceType<T>;
  /** Narrows what is cached, e.g. `{ fieldSelector: 'spec.nodeName=a' }`; default everything. */
  readonly select?: Selection;
  /** Caches `PartialObjectMetadata` only. */
  readonly metadataOnly?: boolean;
  /**
   * The controller works without it, e.g. while its CustomResourceDefinition is not there: the cache is empty until the server serves
   * the resource; then its objects wake their keys. Of a resource that is not optional the controller waits for the first list.
   */
  readonly optional?: boolean;
  /** Indexes that `observe` uses; shared with other controllers that declare the same name and function. */
  readonly indexes?: readonly IndexDefinition<T>[];
  /**
   * Which updates matter; default all that changed the resourceVersion. Never asked about additions, deletions and resyncs:
   * filtering those loses work.
   */
  predicate?(old: T, object: T): boolean;
  /**
   * The keys a change wakes; default the object's own key. Map both `old` and `object` of an update (an object may move
   * between owners); `wakes.ts` has the usual ones. Return nothing for a resource that is only read.
   */
  wakes?(change: Change<T>, caches: Caches): Iterable<Wake>;
  /** Every object again after this time, milliseconds; 0 never; default the factory's (12–24 h). */
  readonly resyncPeriodMs?: number;
}

export interface ControllerBase {
  /** Unique in the process, kebab case; names the queue in metrics. */
  readonly name: string;
  /** The resource whose keys are reconciled. Its changes wake their own key unless `wakes` says otherwise. */
  readonly for: WatchDefinition;
  /** Further resources; each resource at most once. */
  readonly watches?: readonly WatchDefinition[];
  /** Keys that wake once when the caches have synced, e.g. of a periodic pass. */
  readonly startKeys?: readonly ObjectKey[];
  /** Keys reconciled at once; default 1. One key is never reconciled twice at once. */
  readonly concurrency?: number;
  /** Back-off of failed keys; default max(5 ms·2^n ≤ 1000 s per key, 10/s burst 100 over all). */
  rateLimiter?(env: Env): RateLimiter;
  /** Failures in a row after which a key is dropped until its next change; default unlimited. */
  readonly retriesMax?: number;
  /** Component name on recorded events; default the controller's name. */
  readonly eventSource?: string;
  /** Keys of equal priority take turns by flow, e.g. `{ flowOf: namespaceOf }`; default first in, first out. */
  readonly fairness?: Fairness;
  /** Waiting time that is worth one point of priority, milliseconds; default 300; 0: priorities are strict. */
  readonly agingMsPerPoint?: number;
  /** Longest run, milliseconds: then its signal aborts with {@link ReconcileTimeoutError}, and the key is retried. Default no limit. */
  readonly timeoutMs?: number;
  /**
   * Ends a run whose object moves on meanwhile: its signal aborts with {@link SupersededError}, and the key runs again at once. `generation`: when
   * the desired state changes; `resourceVersion`: at any write of somebody else. Deletion and recreation count in both. Own writes
   * don't. After five runs in a row that were ended so, one is left to finish. Default never.
   */
  readonly supersede?: 'generation' | 'resourceVersion';
  /**
   * Changes that only show what the key's own run wrote: `ignore` them or let them `wake` the key. Default: `wake` for plans, which go
   * on step by step; `ignore` for `reconcile`, which is expected to finish what it began, or to ask for more with `requeueAfterMs`.
   */
  readonly ownWrites?: 'ignore' | 'wake';
  /**
   * Resources, all of one server, that a run sees consistently: no run before the caches of all of them have reached the
   * resourceVersion of the newest of them. Waits up to 1 s, then lists what lags behind live: use it where it matters. Default none.
   */
  readonly consistent?: readonly ResourceType[];
  /**
   * What a journal does about keys whose runs cause themselves: default `damp`, it reports them and makes them rest; `report`; `ignore`.
   */
  readonly loops?: 'damp' | 'report' | 'ignore';
  /** Longest wait for the first lists, milliseconds: then `run` rejects, naming what is missing. Default no limit. */
  readonly syncTimeoutMs?: number;
}

/**
 * A controller in three parts.
 *
 * @example
 * // Keeps one ConfigMap `<name>-report` beside every Gadget.
 * const gadgetReports: PlanController<{ gadget: Gadget; report: ConfigMap | undefined }> = {
 *   name: 'gadget-reports',
 *   for: { resource: gadgets },
 *   watches: [{ resource: configMaps, wakes: wakeController(gadgets) }],
 *   observe(key, caches) {
 *     const gadget = caches.lister(gadgets).getByKey(key);
 *     if (gadget === undefined) return undefined; // deleted: owner references clean up
 *     return { gadget, report: caches.lister(configMaps).get(gadget.metadata.namespace, `${gadget.metadata.name}-report`) };
 *   },
 *   diff({ gadget, report }) {
 *     const data = { size: String(gadget.spec.size) };
 *     if (report === undefined) {
 *       return {
 *         steps: [{ actions: [{
 *           verb: 'create', resource: configMaps, namespace: gadget.metadata.namespace, object: newReport(gadget, data),
 *           reason: 'ReportMissing', facts: { size: gadget.spec.size },
 *           announce: (outcome) => outcome.status === 'done' ? [reportCreated(gadget)] : [],
 *         }] }],
 *       };
 *     }
 *     if (report.data?.size === data.size) return emptyPlan;
 *     return {
 *       steps: [{ actions: [{
 *         verb: 'patch', patchType: 'merge', resource: configMaps, namespace: report.metadata.namespace, name: report.metadata.name,
 *         patch: { metadata: { uid: report.metadata.uid }, data }, reason: 'ReportOutdated', facts: { had: report.data?.size ?? null },
 *       }] }],
 *     };
 *   },
 * };
 */
export interface PlanController<Observed> extends ControllerBase {
  /** Reads caches, synchronously; undefined when there is nothing to do for the key. Throwing retries with back-off. */
  observe(key: ObjectKey, caches: Caches): Observed | undefined;
  /** The plan that brings what was observed to what is desired. Pure; `now` is epoch milliseconds. Throwing retries with back-off. */
  diff(observed: Observed, now: number): Plan;
}

/** The plain form: anything may be awaited. Prefer {@link PlanController}: only plans can be explained, dry-run and tested as data. */
export interface ReconcileController extends ControllerBase {
  reconcile(context: ReconcileContext): Promise<ReconcileResult | void>;
}

export interface ReconcileContext {
  readonly key: ObjectKey;
  /** The declared caches, with what this run has written so far: made objects are there, deleted ones are not. */
  readonly caches: Caches;
  /** Live reads and writes. Writes through it are fenced as those of plans are. */
  readonly client: Client;
  readonly env: Env;
  /**
   * Aborts when the grace time of a stop is over, leadership is lost, or the run is over its time or superseded. Calls of `client`
   * end with it.
   */
  readonly signal: AbortSignal;
  /** Runs a plan through the shared executor. @throws the first failure. */
  act(plan: Plan): Promise<readonly Outcome[]>;
}

export interface ReconcileResult {
  /**
   * Look again after this time, milliseconds. 0 or less: soon, by the rate limiter, as `Requeue: true` in Go (by default after 5 ms, twice
   * as long each time in a row, 1000 s at most): a reconcile that always asks for more must not keep the process busy for ever.
   */
  readonly requeueAfterMs?: number;
}

export type ControllerDefinition<Observed = unknown> = PlanController<Observed> | ReconcileController;

/** An error that must not be retried: the key rests until its next change. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** Why a run's signal aborted: its object moved on. The key runs again. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
}

/** Why a run's signal aborted: it took longer than the definition's `timeoutMs`. */
export class ReconcileTimeoutError extends Error {
  override readonly name = 'ReconcileTimeoutError';
}

/** Facts as they are recorded, for callers that build them apart. */
export type Facts = Readonly<Record<string, Json>>;
