// Evicts a Pod as far as its disruption budget allows (spec/apiserver.md §12.5).

import { ApiError, type Clock, isApiError } from '@homeostat/base';
import {
  formatTime,
  type KubeObject,
  labelSelectorAsSelector,
  type LabelSelectorSpec,
  type Mutable,
  newConflict,
  newForbidden,
  newNotFound,
  newTooManyRequests,
  optimisticLockText,
} from '@homeostat/machinery';
import { getPodCondition } from '@homeostat/api';
import { updatePodCondition } from '../endpoints/pod-condition.ts';
import type { ObjectVersion } from '../watch-cache/object-version.ts';
import { deleteObject } from './delete.ts';
import type { DeleteOptions } from './delete-options.ts';
import { guaranteedUpdate } from './guaranteed-update.ts';
import type { StoredResource } from './stored-resource.ts';
import type { WriteContext } from './write-context.ts';

export interface EvictionRequest {
  readonly namespace: string;
  readonly name: string;
  readonly options: DeleteOptions;
  readonly context: WriteContext;
}

export interface EvictionContext {
  readonly clock: Clock;
  readonly pods: StoredResource;
  readonly budgets: StoredResource;
  /** Writes a budget's status as the server itself. @throws ApiError */
  updateBudgetStatus(budget: KubeObject): Promise<void>;
}

interface Pod extends KubeObject {
  readonly status?: { readonly phase?: string };
}

export interface Budget extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelectorSpec; readonly unhealthyPodEvictionPolicy?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}

const disruptedPodsMax = 2_000;
const retrySteps = 20;
const retryDelayMs = 500;
const budgetText = "Cannot evict pod as it would violate the pod's disruption budget.";

/** @throws ApiError 404, 409, 429, 500 */
export async function evictPod(request: EvictionRequest, evict: EvictionContext): Promise<void> {
  const direct = await evictUnguarded(request, evict);
  if (direct.done) return;
  const { pod } = direct;
  const budgets = await matchingBudgets(pod, request, evict);
  if (budgets.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new ApiError({ code: 500, reason: '', message });
  }
  const [budget] = budgets;
  let guarded = request.options;
  let unhealthy = false;
  if (budget !== undefined) {
    unhealthy = !isReady(pod.object) && mayEvictUnhealthy(budget);
    if (unhealthy) guarded = withVersion(request.options, pod);
    else await decrement(budget, request, evict);
  }
  try {
    await addConditionAndDelete({ ...request, options: guarded }, evict);
  } catch (error) {
    const ours = unhealthy && request.options.preconditions?.resourceVersion === undefined;
    if (ours && isApiError(error, 'Conflict')) throw stillProcessed(budget?.metadata?.name ?? '');
    throw error;
  }
}

/** Pods that no budget protects: finished, pending or already going. */
async function evictUnguarded(
  request: EvictionRequest,
  evict: EvictionContext,
): Promise<{ readonly done: true } | { readonly done: false; readonly pod: ObjectVersion }> {
  const retries = request.options.preconditions?.resourceVersion === undefined;
  for (let step = 1; ; step++) {
    const pod = await evict.pods.current(request.namespace, request.name);
    if (pod === undefined) throw newNotFound(evict.pods.groupResource, request.name);
    const { phase } = (pod.object as Pod).status ?? {};
    const finished = phase === 'Succeeded' || phase === 'Failed';
    const going = pod.stored.metadata?.deletionTimestamp !== undefined;
    if (!finished && !going && phase !== 'Pending') return { done: false, pod };
    const options = !finished && !going && retries ? withVersion(request.options, pod) : request.options;
    try {
      await addConditionAndDelete({ ...request, options }, evict);
      return { done: true };
    } catch (error) {
      if (!retries || !isApiError(error, 'Conflict') || step >= retrySteps) throw error;
      await evict.clock.sleep(retryDelayMs, request.context.signal);
    }
  }
}

function withVersion(options: DeleteOptions, pod: ObjectVersion): DeleteOptions {
  return { ...options, preconditions: { ...options.preconditions, resourceVersion: String(pod.revision) } };
}

async function matchingBudgets(
  pod: ObjectVersion,
  request: EvictionRequest,
  evict: EvictionContext,
): Promise<readonly Budget[]> {
  const labels = pod.stored.metadata?.labels;
  await evict.budgets.hub.waitFor(evict.budgets.store.revision, { signal: request.context.signal });
  return evict.budgets.cache
    .list(request.namespace)
    .map((version) => version.object as Budget)
    .filter((budget) => labelSelectorAsSelector(budget.spec?.selector).matches(labels));
}

function isReady(pod: KubeObject): boolean {
  return getPodCondition(pod as never, 'Ready')?.status === 'True';
}

function mayEvictUnhealthy(budget: Budget): boolean {
  if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** Takes one of the disruptions the budget allows. @throws ApiError 429 when there is none */
async function decrement(budget: Budget, request: EvictionRequest, evict: EvictionContext): Promise<void> {
  let seen = budget;
  for (let step = 1; ; step++) {
    const next = afterDisruption(seen, request.name, evict.clock.nowMs());
    if (request.context.dryRun) return;
    try {
      await evict.updateBudgetStatus(next);
      return;
    } catch (error) {
      if (!isApiError(error, 'Conflict') || step >= retrySteps) throw error;
      await evict.clock.sleep(retryDelayMs, request.context.signal);
      const fresh = await evict.budgets.current(request.namespace, seen.metadata?.name ?? '');
      if (fresh === undefined) return;
      seen = fresh.object as Budget;
    }
  }
}

function afterDisruption(budget: Budget, podName: string, nowMs: number): KubeObject {
  const name = budget.metadata?.name ?? '';
  const status = budget.status ?? {};
  const allowed = status.disruptionsAllowed ?? 0;
  if ((status.observedGeneration ?? 0) < (budget.metadata?.generation ?? 0)) throw stillProcessed(name);
  const resource = { group: 'policy', resource: 'poddisruptionbudget' };
  if (allowed < 0) throw newForbidden(resource, name, 'pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > disruptedPodsMax) {
    throw newForbidden(
      resource,
      name,
      'DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    );
  }
  if (allowed === 0) throw violation(budget);
  const now = formatTime(nowMs);
  const next = {
    ...budget,
    status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods: { ...status.disruptedPods, [podName]: now } },
  };
  if (allowed - 1 > 0) return next;
  const conditions = (status.conditions ?? []).filter(({ type }) => type !== 'DisruptionAllowed');
  const old = status.conditions?.find(({ type }) => type === 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: status.observedGeneration ?? 0,
    lastTransitionTime:
      old?.status === 'False' ? ((old as { lastTransitionTime?: string }).lastTransitionTime ?? now) : now,
    reason: 'InsufficientPods',
    message: '',
  };
  return { ...next, status: { ...next.status, conditions: [...conditions, condition] } } as KubeObject;
}

function stillProcessed(name: string): ApiError {
  return withCause(
    newTooManyRequests(budgetText, 10),
    `The disruption budget ${name} is still being processed by the server.`,
  );
}

function violation(budget: Budget): ApiError {
  const name = budget.metadata?.name ?? '';
  const { currentHealthy = 0, desiredHealthy = 0, conditions = [] } = budget.status ?? {};
  const condition = conditions.find(({ type, status }) => type === 'DisruptionAllowed' && status === 'False');
  const message = condition?.message ?? '';
  let text: string;
  if (condition?.reason === 'SyncFailed') {
    text = `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${message}`;
  } else {
    text =
      currentHealthy <= desiredHealthy
        ? `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
        : `The disruption budget ${name} does not allow evicting pods currently`;
    if (message !== '') text += ` (${condition?.reason ?? ''}): ${message}`;
  }
  return withCause(new ApiError({ code: 429, reason: 'TooManyRequests', message: budgetText }), text);
}

function withCause(error: ApiError, message: string): ApiError {
  return new ApiError({
    code: error.code,
    reason: error.reason,
    message: error.message,
    details: { causes: [{ reason: 'DisruptionBudget', message }], ...error.details },
  });
}

/** Says in the Pod's status why it goes, then deletes it. */
async function addConditionAndDelete(request: EvictionRequest, evict: EvictionContext): Promise<void> {
  const { namespace, name, context } = request;
  let { options } = request;
  if (!context.dryRun) {
    const seen = await evict.pods.current(namespace, name);
    if (seen === undefined) throw newNotFound(evict.pods.groupResource, name);
    const { version } = await guaranteedUpdate(evict.pods, {
      namespace,
      name,
      dryRun: false,
      signal: context.signal,
      term: context.term,
      transform: (current) => {
        if (current === undefined) throw newNotFound(evict.pods.groupResource, name);
        if (current.revision !== seen.revision) throw newConflict(evict.pods.groupResource, name, optimisticLockText);
        const draft = structuredClone(current.object) as Mutable<KubeObject>;
        const condition = {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        } as const;
        updatePodCondition(draft, condition, formatTime(evict.clock.nowMs()));
        return { type: 'put', draft };
      },
    });
    // The condition was this request's own write: its precondition moves on.
    if (
      options.preconditions?.resourceVersion !== undefined &&
      options.preconditions.resourceVersion === String(seen.revision)
    ) {
      options = { ...options, preconditions: { ...options.preconditions, resourceVersion: String(version.revision) } };
    }
  }
  await deleteObject(evict.pods, { namespace, name, options, context, validate: () => {} });
}
