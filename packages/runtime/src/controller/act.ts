// Act: the one executor of plans (law 3). Runs steps in their modes, stages after one another, announces events, and tells what
// everything came to. It never retries: a failed key is observed again first (law 5).

import { type ApiError, type Env, isApiError } from '@homeostat/base';
import type { KubeObject } from '@homeostat/machinery';
import { apiErrorOf, type Client } from '@homeostat/client';
import type { Action, DoneOutcome, EventAction, FailedOutcome, Outcome, Plan, PlanFailure, Step } from './plan.ts';

export interface ActOptions {
  readonly client: Client;
  readonly env: Env;
  readonly signal: AbortSignal;
  /** Takes the events of the plan; absent: they are dropped. */
  readonly recordEvent?: ((action: EventAction) => void) | undefined;
  /** Hears of every action, skipped ones too, as soon as its outcome is known. */
  readonly onAction?: ((record: ActionRecord) => void) | undefined;
  /** Is told of each write right before it is sent, and of `undefined` right after, in the same synchronous step. */
  readonly onSend?: ((action: Action | undefined) => void) | undefined;
  /** Actions of one step under way at once, at least 1; default 64. */
  readonly parallelMax?: number;
  /** Sends writes with `dryRun=All`. */
  readonly dryRun?: boolean;
}

/** One action as it was carried out. Times are wall clock, epoch milliseconds. */
export interface ActionRecord {
  /** 0 for the plan of `diff`, 1 for that of its `next`, … */
  readonly stage: number;
  readonly outcome: Outcome;
  readonly startedMs: number;
  readonly endedMs: number;
}

export interface ActResult {
  /** Of all stages, in order. */
  readonly outcomes: readonly Outcome[];
  readonly failures: readonly FailedOutcome[];
  readonly planFailures: readonly PlanFailure[];
  /** The shortest the stages asked for. */
  readonly requeueAfterMs: number | undefined;
}

/** A plan whose stages do not end is a defect of its controller. */
const stagesMax = 100;

/** Carries a plan out, stage by stage. Rejects only for defects; failures of actions are in the result. */
export async function act(plan: Plan, options: ActOptions): Promise<ActResult> {
  const all: Outcome[] = [];
  const planFailures: PlanFailure[] = [];
  let requeueAfterMs: number | undefined;
  let stage: Plan | undefined = plan;
  for (let number = 0; stage !== undefined; number++) {
    if (number >= stagesMax) throw new Error(`a plan went on for more than ${stagesMax} stages`);
    const outcomes = await runStage(stage, number, options);
    for (const outcome of outcomes) all.push(outcome);
    if (stage.failure !== undefined) planFailures.push(stage.failure);
    if (stage.requeueAfterMs !== undefined) requeueAfterMs = Math.min(requeueAfterMs ?? Infinity, stage.requeueAfterMs);
    if (options.signal.aborted) break;
    stage = stage.next?.(outcomes, options.env.clock.nowMs());
  }
  return {
    outcomes: all,
    failures: all.filter((outcome) => outcome.status === 'failed'),
    planFailures,
    requeueAfterMs,
  };
}

async function runStage(plan: Plan, stage: number, options: ActOptions): Promise<readonly Outcome[]> {
  const runner = new StageRunner(stage, options);
  const outcomes: Outcome[] = [];
  let stopped = false;
  for (const step of plan.steps) {
    if (stopped) {
      for (const action of step.actions) outcomes.push(runner.skip(action, 'earlier-failure'));
      continue;
    }
    const results = await runner.run(step);
    for (const outcome of results) outcomes.push(outcome);
    const failed = results.some((outcome) => outcome.status !== 'done');
    stopped = options.signal.aborted || (failed && step.onFailure !== 'continue');
  }
  return outcomes;
}

class StageRunner {
  readonly #stage: number;
  readonly #options: ActOptions;

  constructor(stage: number, options: ActOptions) {
    this.#stage = stage;
    this.#options = options;
  }

  async run(step: Step): Promise<readonly Outcome[]> {
    switch (step.mode ?? 'sequence') {
      case 'sequence':
        return this.#batches(step.actions, () => 1);
      case 'slow-start':
        return this.#batches(step.actions, (batch) => 2 ** batch);
      case 'parallel':
        return this.#parallel(step.actions);
    }
  }

  skip(action: Action, cause: 'earlier-failure' | 'aborted'): Outcome {
    const nowMs = this.#options.env.clock.nowMs();
    return this.#record({ status: 'skipped', action, cause }, nowMs);
  }

  /** Batches one after the other; the first with a failure is the last. */
  async #batches(actions: readonly Action[], sizeOf: (batch: number) => number): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    let at = 0;
    for (let batch = 0; at < actions.length; batch++) {
      const results = await this.#parallel(actions.slice(at, at + sizeOf(batch)));
      at += results.length;
      for (const outcome of results) outcomes.push(outcome);
      if (results.some((outcome) => outcome.status === 'failed')) break;
    }
    for (const action of actions.slice(at)) outcomes.push(this.skip(action, 'earlier-failure'));
    return outcomes;
  }

  async #parallel(actions: readonly Action[]): Promise<readonly Outcome[]> {
    const only = actions[0];
    if (actions.length === 1 && only !== undefined) return [await this.#perform(only)];
    const outcomes = Array.from<Outcome | undefined>({ length: actions.length });
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < actions.length; at = next++) {
        const action = actions[at];
        if (action !== undefined) outcomes[at] = await this.#perform(action);
      }
    };
    const workers = Math.min(actions.length, Math.max(1, this.#options.parallelMax ?? 64));
    await Promise.all(Array.from({ length: workers }, work));
    return outcomes.filter((outcome) => outcome !== undefined);
  }

  async #perform(action: Action): Promise<Outcome> {
    const { client, env, signal, dryRun = false, recordEvent, onSend } = this.#options;
    if (signal.aborted) return this.skip(action, 'aborted');
    const startedMs = env.clock.nowMs();
    const announce = (events: () => readonly EventAction[]): void => {
      if (!dryRun) this.#tell(action, () => events().forEach((event) => recordEvent?.(event)));
    };
    if (action.verb === 'event') {
      announce(() => [action]);
      return this.#record({ status: 'done', action }, startedMs);
    }
    let outcome: DoneOutcome | FailedOutcome;
    try {
      onSend?.(action);
      const answer = send(action, { client, signal, dryRun });
      onSend?.(undefined);
      outcome = { status: 'done', action, object: await answer };
    } catch (error) {
      const found = apiErrorOf(error);
      if (found !== undefined && tolerates(action, found)) outcome = { status: 'done', action, error: found };
      else outcome = { status: 'failed', action, error: toError(error) };
    }
    announce(() => action.announce?.(outcome) ?? []);
    return this.#record(outcome, startedMs);
  }

  #record(outcome: Outcome, startedMs: number): Outcome {
    const { onAction, env } = this.#options;
    const record = { stage: this.#stage, outcome, startedMs, endedMs: env.clock.nowMs() };
    this.#tell(outcome.action, () => onAction?.(record));
    return outcome;
  }

  /** What is done is done: who announces it, or listens, must not leave the rest of the step under way without anybody waiting for it. */
  #tell({ verb, reason }: Action, call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.env.log.error('a listener of actions failed', { verb, reason, error });
    }
  }
}

interface SendContext {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly dryRun: boolean;
}

async function send(
  action: Exclude<Action, EventAction>,
  { client, signal, dryRun }: SendContext,
): Promise<KubeObject> {
  const { resource, namespace } = action;
  const write = dryRun ? { signal, dryRun } : { signal };
  switch (action.verb) {
    case 'create':
      return client.create(resource, {
        ...write,
        ...(namespace === undefined ? {} : { namespace }),
        object: action.object,
      });
    case 'update':
      return client.update(resource, {
        ...write,
        object: named(action.object, action),
        ...(action.subresource === undefined ? {} : { subresource: action.subresource }),
      });
    case 'status':
      return client.updateStatus(resource, { ...write, object: named(action.object, action) });
    case 'patch':
      return client.patch(resource, {
        ...write,
        namespace,
        name: action.name,
        type: action.patchType,
        patch: action.patch,
        ...(action.subresource === undefined ? {} : { subresource: action.subresource }),
        ...(action.fieldManager === undefined ? {} : { fieldManager: action.fieldManager }),
        ...(action.force === undefined ? {} : { force: action.force }),
      });
    case 'delete':
      return client.delete(resource, {
        ...write,
        ...deleteFields(action),
        namespace,
        name: action.name,
        ...(action.preconditions === undefined ? {} : { preconditions: action.preconditions }),
      });
    case 'deletecollection':
      return client.deleteCollection(resource, {
        ...write,
        ...deleteFields(action),
        ...selectFields(action),
        namespace,
      });
    case 'subresource':
      return client.createSubresource(resource, {
        ...write,
        namespace,
        name: action.name,
        subresource: action.subresource,
        object: action.object,
      });
    case 'get':
      return client.get(resource, {
        signal,
        namespace,
        name: action.name,
        ...(action.subresource === undefined ? {} : { subresource: action.subresource }),
      });
    case 'list': {
      if (action.limit !== undefined)
        return client.list(resource, { signal, ...selectFields(action), namespace, limit: action.limit });
      let items: KubeObject[] = [];
      let resourceVersion = '';
      for await (const page of client.listPages(resource, { signal, ...selectFields(action), namespace })) {
        items = page.restarted ? [...page.items] : items.concat(page.items);
        resourceVersion = page.resourceVersion;
      }
      const list = { metadata: { resourceVersion }, items };
      return list as KubeObject;
    }
  }
}

/** An update names its object in the URL; plans may leave it out of a body made from a template. */
function named(object: KubeObject, action: { readonly name: string; readonly namespace?: string }): KubeObject {
  const { name, namespace } = object.metadata ?? {};
  if (name === action.name && namespace === action.namespace) return object;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      name: action.name,
      ...(action.namespace === undefined ? {} : { namespace: action.namespace }),
    },
  };
}

function deleteFields(action: {
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}): { propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'; gracePeriodSeconds?: number } {
  return {
    ...(action.propagationPolicy === undefined ? {} : { propagationPolicy: action.propagationPolicy }),
    ...(action.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: action.gracePeriodSeconds }),
  };
}

function selectFields(action: { readonly labelSelector?: string; readonly fieldSelector?: string }): {
  labelSelector?: string;
  fieldSelector?: string;
} {
  return {
    ...(action.labelSelector === undefined ? {} : { labelSelector: action.labelSelector }),
    ...(action.fieldSelector === undefined ? {} : { fieldSelector: action.fieldSelector }),
  };
}

function toError(error: unknown): ApiError | Error {
  return isApiError(error) || error instanceof Error ? error : new Error(String(error));
}

// A reason may stand in the causes: a create refused by a namespace that closes is `Forbidden` with the cause
// `NamespaceTerminating`.
function tolerates(action: Action, error: ApiError): boolean {
  const causes = error.details?.causes ?? [];
  return (
    action.tolerates?.some((reason) => reason === error.reason || causes.some((cause) => cause.reason === reason)) ??
    false
  );
}
