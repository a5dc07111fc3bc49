// What a controller wants done (law 3): plain data between the pure `diff` and the one shared executor, `act`.
// A plan is steps of typed actions; every action says why (`reason`, for machines) and what it rests on (`facts`).
// Nothing here does I/O.

import type { ApiError } from '@homeostat/base';
import type { Json, KubeObject } from '@homeostat/machinery';
import type { ResourceType } from '@homeostat/client';

/** What `diff` returns. An empty plan means: the state is as desired. */
export interface Plan {
  /** Run in order. A failed step ends the plan unless it says `onFailure: 'continue'`; the rest is then skipped. */
  readonly steps: readonly Step[];
  /**
   * Look at the key again after this time, whatever happens; milliseconds. A failure's back-off wins over it.
   * 0 or less: at once after steps that did something, else soon, by the rate limiter.
   */
  readonly requeueAfterMs?: number;
  /**
   * The next stage, decided on what the steps came to. Called once, also after a failure, with the outcomes of all actions of
   * this plan in order (those never tried are `skipped`). Pure, like `diff`.
   */
  next?(outcomes: readonly Outcome[], now: number): Plan;
  /**
   * The key could not be brought to the desired state for a reason no action shows: retried with back-off after the steps ran.
   */
  readonly failure?: PlanFailure;
}

export interface PlanFailure {
  /** Machine-readable, CamelCase. */
  readonly reason: string;
  readonly message: string;
}

export interface Step {
  /**
   * - `sequence` (default): one after the other; the first failure skips the rest of the step.
   * - `slow-start`: batches of 1, 2, 4 …, each in parallel; the first batch with a failure is the last.
   * - `parallel`: all at once, bounded by the executor; all are tried.
   */
  readonly mode?: 'sequence' | 'slow-start' | 'parallel';
  readonly actions: readonly Action[];
  /** `stop` (default) skips later steps when an action failed; `continue` runs them. The plan counts as failed either way. */
  readonly onFailure?: 'stop' | 'continue';
}

export type Action =
  | CreateAction
  | UpdateAction
  | StatusAction
  | PatchAction
  | DeleteAction
  | DeleteCollectionAction
  | SubresourceAction
  | GetAction
  | ListAction
  | EventAction;

interface ActionBase {
  /** Why, for machines: CamelCase, from a bounded set, e.g. `TooFewReplicas`. */
  readonly reason: string;
  /** What it rests on, e.g. `{ desired: 3, current: 2 }`. */
  readonly facts: Readonly<Record<string, Json>>;
  /**
   * Reasons of API errors, or of their causes, that count as done, e.g. `['NotFound']`. The outcome is `done` with the error
   * beside it.
   */
  readonly tolerates?: readonly string[];
  /** Events to record once the outcome is known, e.g. `Created pod: <name>`. Pure. Not called for skipped actions. */
  announce?(outcome: DoneOutcome | FailedOutcome): readonly EventAction[];
}

interface TargetAction extends ActionBase {
  readonly resource: ResourceType;
  /** Absent for cluster-scoped resources. */
  readonly namespace?: string;
}

interface NamedAction extends TargetAction {
  readonly name: string;
}

export interface CreateAction extends TargetAction {
  readonly verb: 'create';
  readonly object: KubeObject;
}

/** Replaces an object; it must carry the resourceVersion that was read (law 5). */
export interface UpdateAction extends NamedAction {
  readonly verb: 'update';
  readonly object: KubeObject;
  /** e.g. `scale`, `finalize`. For status use a {@link StatusAction}. */
  readonly subresource?: string;
}

/** Replaces the status of an object; it must carry the resourceVersion that was read. */
export interface StatusAction extends NamedAction {
  readonly verb: 'status';
  readonly object: KubeObject;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/**
 * Patches an object. Put `metadata.uid` (and `metadata.resourceVersion`, when the patch depends on what was read) into the patch:
 * the server answers 409 when they differ.
 */
export interface PatchAction extends NamedAction {
  readonly verb: 'patch';
  readonly patchType: PatchType;
  readonly patch: Json | KubeObject;
  /** e.g. `status`. */
  readonly subresource?: string;
  /** Needed by `apply`; the others default to the user agent's name. */
  readonly fieldManager?: string;
  /** `apply` only: take fields from other managers. */
  readonly force?: boolean;
}

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

interface DeleteFields {
  readonly propagationPolicy?: PropagationPolicy;
  /** Seconds; absent: the kind's default; 0: at once. */
  readonly gracePeriodSeconds?: number;
}

export interface DeleteAction extends NamedAction, DeleteFields {
  readonly verb: 'delete';
  /** Always give the uid of the object meant: a recreated one of the same name must survive. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface DeleteCollectionAction extends TargetAction, DeleteFields {
  readonly verb: 'deletecollection';
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Creates on a subresource: `eviction`, `binding`, `token` … */
export interface SubresourceAction extends NamedAction {
  readonly verb: 'subresource';
  readonly subresource: string;
  readonly object: KubeObject;
  /** The object's uid as known when the plan was made; evictions and bindings are fenced on it. Default: the cached object's. */
  readonly uid?: string;
}

/** Reads one object live, for a later stage (`next`). */
export interface GetAction extends NamedAction {
  readonly verb: 'get';
  readonly subresource?: string;
}

/** Lists live, for a later stage. The outcome's object is the list. */
export interface ListAction extends TargetAction {
  readonly verb: 'list';
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** At most this many; default all pages. */
  readonly limit?: number;
}

/** Records an Event; never fails. */
export interface EventAction extends ActionBase {
  readonly verb: 'event';
  /** The object the event is about, or a reference to it. */
  readonly regarding: KubeObject | ObjectReference;
  readonly related?: KubeObject | ObjectReference;
  readonly event: {
    readonly type: 'Normal' | 'Warning';
    /** As users see it, e.g. `SuccessfulCreate`. */
    readonly reason: string;
    readonly message: string;
    /** events.k8s.io only: what was done, e.g. `Binding`. */
    readonly action?: string;
  };
}

/** `core/v1` ObjectReference. */
export interface ObjectReference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** What an action came to. */
export type Outcome = DoneOutcome | FailedOutcome | SkippedOutcome;

export interface DoneOutcome {
  readonly status: 'done';
  readonly action: Action;
  /** What the server answered: the object, a list, or a Status; absent for events and tolerated errors. */
  readonly object?: KubeObject;
  /** The tolerated error, when there was one. */
  readonly error?: ApiError;
}

export interface FailedOutcome {
  readonly status: 'failed';
  readonly action: Action;
  /** An `ApiError`, or what the transport threw when no answer came. */
  readonly error: Error;
}

export interface SkippedOutcome {
  readonly status: 'skipped';
  readonly action: Action;
  readonly cause: 'earlier-failure' | 'aborted';
}

/** The plan that does nothing. */
export const emptyPlan: Plan = { steps: [] };

/** Whether acting on a plan would do nothing: `diff` after `act` must be idle (idempotence). */
export function isIdle(plan: Plan): boolean {
  return plan.steps.every((step) => step.actions.length === 0) && plan.next === undefined && plan.failure === undefined;
}
