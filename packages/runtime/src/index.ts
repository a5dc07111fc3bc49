// Public names of @homeostat/runtime.

// Controllers: what they are, what they want done, and the loop that runs them.
export { act, type ActionRecord, type ActOptions, type ActResult } from './controller/act.ts';
export {
  type ControllerDefinition,
  type Facts,
  type PlanController,
  type ReconcileContext,
  type ReconcileController,
  type ReconcileResult,
  ReconcileTimeoutError,
  SupersededError,
  TerminalError,
  type Wake,
  type WatchDefinition,
} from './controller/controller-definition.ts';
export type { ControllerDependencies, ControllerStatus, RunRecord } from './controller/controller-dependencies.ts';
export { type Controller, createController, type RunOptions } from './controller/controller.ts';
export type { ReconcileOutcome } from './controller/reconcile-metrics.ts';
export type { RunReason, RunReasons, WakeCause } from './controller/run-reasons.ts';
export {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  labelsMatch,
  not,
  or,
  resourceVersionChanged,
  type UpdatePredicate,
} from './controller/predicates.ts';
export {
  type Action,
  type CreateAction,
  type DeleteAction,
  type DeleteCollectionAction,
  type DoneOutcome,
  emptyPlan,
  type EventAction,
  type FailedOutcome,
  type GetAction,
  isIdle,
  type ListAction,
  type ObjectReference,
  type Outcome,
  type PatchAction,
  type PatchType,
  type Plan,
  type PlanFailure,
  type PropagationPolicy,
  type SkippedOutcome,
  type StatusAction,
  type Step,
  type SubresourceAction,
  type UpdateAction,
} from './controller/plan.ts';
export {
  controllerOf,
  type OwnerKind,
  wakeController,
  wakeMapped,
  wakeNothing,
  wakeOwners,
  wakeSelf,
} from './controller/wakes.ts';

export { type ControllerBuilder, controllerFor, type ControllerOptions } from './controller/controller-builder.ts';
export {
  type FencedCache,
  type LiveRead,
  type Passage,
  type Write,
  WriteFence,
  type WriteFenceOptions,
} from './controller/write-fence.ts';

// Declarative children.
export { type Claim, claim } from './children/claim.ts';
export { defineChildren } from './children/children-controller.ts';
export type {
  ChildKind,
  ChildrenDefinition,
  DesiredChild,
  ObservedChildren,
  ObservedFamily,
  UpdateStrategy,
} from './children/children-definition.ts';
export { desired } from './children/desired-child.ts';

// What controllers do to objects.
export {
  type Condition,
  findCondition,
  isConditionSet,
  type NewCondition,
  removeCondition,
  setCondition,
} from './objects/conditions.ts';
export {
  createOrPatch,
  createOrUpdate,
  type CreateOrUpdateOptions,
  type OperationOutcome,
  type OperationResult,
} from './objects/create-or-update.ts';
export {
  addFinalizer,
  finalized,
  type FinalizedOptions,
  type FinalizerTarget,
  hasFinalizer,
  removeFinalizer,
} from './objects/finalizer.ts';
export {
  AlreadyOwnedError,
  controllerReference,
  hasOwnerReference,
  type Owner,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './objects/owner-references.ts';
export { patchStatus, type StatusPatchOptions } from './objects/status-patch.ts';

// Events.
export {
  createEventRecorder,
  type EventInput,
  type EventRecorder,
  type EventRecorderOptions,
} from './events/event-recorder.ts';
export { referenceTo, toReference } from './events/event-reference.ts';
export {
  createSeriesRecorder,
  type SeriesEventInput,
  type SeriesRecorder,
  type SeriesRecorderOptions,
} from './events/series-recorder.ts';

// Caches.
export { type Delta, DeltaFifo, type DeltaFifoOptions } from './delta-fifo/delta-fifo.ts';
export type { CachedListOptions } from './informer/cached-lists.ts';
export type { Change, ChangeHandler } from './informer/change.ts';
export { filterChanges } from './informer/filtered-handler.ts';
export {
  InformerFactory,
  type InformerFactoryOptions,
  type InformerRequest,
  withoutManagedFields,
} from './informer/informer-factory.ts';
export { createInformerSource, type InformerSource, type Selection } from './informer/informer-source.ts';
export type {
  HandlerOptions,
  Informer,
  InformerFailure,
  InformerState,
  ProgressHandler,
  Registration,
} from './informer/informer.ts';
export { MultiNamespaceInformer, type MultiNamespaceInformerOptions } from './informer/multi-namespace-informer.ts';
export { NamespaceSet, UnknownNamespaceError } from './informer/namespace-set.ts';
export { SharedInformer, type SharedInformerOptions } from './informer/shared-informer.ts';
export { type ListWatcher, Reflector, type ReflectorOptions, type ReflectorSink } from './reflector/reflector.ts';
export { byController, byField, byLabel, byOwner, byUid, orphanValue } from './store/indexes.ts';
export type { Caches, IndexDefinition, LabelMatch, Lister } from './store/lister.ts';
export { createWrittenLister, type Written, type WrittenListerOptions } from './store/written-lister.ts';
export { createStore, type Store, type StoreReader, type StoreWriter } from './store/store.ts';

// Processes.
export { createLeaderClient } from './leader-election/leader-client.ts';
export type {
  ElectionDiagnosis,
  LeaderElectionOptions,
  LeaderElector,
  LeadOptions,
} from './leader-election/leader-election-options.ts';
export { createLeaderElector } from './leader-election/leader-elector.ts';
export { type Leadership, LeadershipLostError, LeadershipUnsureError } from './leader-election/leadership.ts';
export type { CandidateVersions } from './leader-election/lease-candidate.ts';
export { type AccessFilterOptions, withAccessFilter } from './manager/access-filter.ts';
export type { Diagnosis, InformerDiagnosis, PartDiagnosis } from './manager/diagnosis.ts';
export {
  answerHealth,
  formatHealth,
  type HealthCheck,
  type HealthQuestion,
  type HealthReport,
  reportHealth,
} from './manager/health.ts';
export { type AddRunnableOptions, createManager, type Manager, type ManagerOptions } from './manager/manager.ts';
export { createManagerHandle, type ManagerHandleOptions, type ManagerSource } from './manager/manager-handle.ts';
export type { RunContext, Runnable, RunnableGroupName } from './manager/runnable.ts';
export { RunnableEndedError } from './manager/runnable-group.ts';

// The journal of runs, and the loops it finds.
export type { ControllerObserver, Observe, RunObserver, StartedRun } from './controller/run-observer.ts';
export type { Finding, FindingKind } from './journal/finding.ts';
export type { JournalRun, JournalWrite } from './journal/journal-view.ts';
export { createJournal, type Journal, type JournalOptions, type JournalPicture } from './journal/journal.ts';
export type { LoopOptions, LoopTreatment } from './journal/loop-breaker.ts';
export { renderChain, renderWhy } from './journal/render.ts';
export type { RunChain, Why } from './journal/why.ts';

// Rehearsals: what a reconciler would write.
export type { FieldChange } from './rehearsal/field-changes.ts';
export { RehearsalError, type RehearsedWrite } from './rehearsal/pretend-client.ts';
export {
  createRehearser,
  type Rehearsal,
  type RehearsedEvent,
  type RehearseOptions,
  type Rehearser,
  type RehearserOptions,
} from './rehearsal/rehearsal.ts';
export type { OperatorPlan, RehearseOperatorOptions } from './rehearsal/rehearse-operator.ts';
export { countWrites, renderRehearsals, type WriteCounts } from './rehearsal/render-rehearsal.ts';

// Shadows: a second version of a controller beside the first.
export type { Difference, DifferenceKind } from './shadow/difference.ts';
export { createShadow, type Shadow, type ShadowOptions } from './shadow/shadow.ts';
export type { DifferenceSort, ShadowPicture, ShadowResult } from './shadow/shadow-report.ts';

// Operators.
export {
  createOperator,
  type Operator,
  type OperatorElection,
  type OperatorOptions,
  type OperatorParts,
  type OperatorShadow,
} from './operator/create-operator.ts';

// Work queues.
export { type Fairness, namespaceOf } from './workqueue/fair-lane.ts';
export { createDelayingQueue, type DelayingQueue } from './workqueue/delaying-queue.ts';
export {
  createBucketLimiter,
  createDefaultLimiter,
  createExponentialLimiter,
  createFastSlowLimiter,
  createMaxOfLimiter,
  createMaxWaitLimiter,
  type RateLimiter,
} from './workqueue/rate-limiter.ts';
export {
  createRateLimitingQueue,
  type RateLimitingQueue,
  type RateLimitingQueueOptions,
} from './workqueue/rate-limiting-queue.ts';
export type { QueueContents } from './workqueue/queue-contents.ts';
export { createQueueMetrics, type QueueMetrics } from './workqueue/queue-metrics.ts';
export {
  type AddOptions,
  type Aging,
  createWorkQueue,
  lowPriority,
  type WorkQueue,
  type WorkQueueOptions,
} from './workqueue/work-queue.ts';
