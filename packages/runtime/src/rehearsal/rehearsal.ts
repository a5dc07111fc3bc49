// Runs a reconciler without making any write: against live caches, with a client that only pretends (`pretend-client.ts`). What it would
// write comes back as data.

import type { Env } from '@homeostat/base';
import { type Client, isNotFound, keyOf, type ObjectKey, type ResourceType, splitKey } from '@homeostat/client';
import type { KubeObject } from '@homeostat/machinery';
import { act, type ActResult } from '../controller/act.ts';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import { ReconcileTimeoutError } from '../controller/controller-definition.ts';
import type { Action, EventAction } from '../controller/plan.ts';
import { throwFailures, toRunError } from '../controller/run-failure.ts';
import type { InformerFactory } from '../informer/informer-factory.ts';
import { createPretendClient, type RehearsedWrite } from './pretend-client.ts';
import { PretendedWorld } from './pretended-world.ts';
import { RehearsalCaches, type Shown } from './rehearsal-caches.ts';

/** What one run of one key would do. */
export interface Rehearsal {
  readonly controller: string;
  readonly key: ObjectKey;
  /** In order, those that would change nothing or be refused included. */
  readonly writes: readonly RehearsedWrite[];
  readonly events: readonly RehearsedEvent[];
  readonly outcome: 'success' | 'error';
  readonly error?: string;
  readonly requeueAfterMs?: number;
}

export interface RehearsedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface RehearserOptions {
  /** For reads, and dry runs. */
  readonly client: Client;
  readonly env: Env;
  /** Its caches must be filled before anything is rehearsed. */
  readonly informers: InformerFactory;
}

export interface RehearseOptions {
  /**
   * Who says what a write comes to: `local` (default) by the rules of patches alone, without a request; `server` asks for dry runs, which add
   * defaults, admission and validation, and need the rights to write. What rests on a pretended object is always answered locally.
   */
  readonly dryRun?: 'local' | 'server';
  readonly signal?: AbortSignal;
}

/** For shadows: how the past is shown to a rehearsal. */
export interface Past {
  readonly shown: Shown;
  readonly client: Client;
  readonly nowMs: number;
}

/** Rehearses one controller. */
export interface Rehearser {
  readonly name: string;
  readonly caches: RehearsalCaches;
  /** Keys of the resource that is reconciled, as the cache has them now, and the `startKeys`. */
  keys(): readonly ObjectKey[];
  /** One run of one key. Rejects only when `signal` aborts; what the reconciler throws is told in the result. */
  rehearse(key: ObjectKey, options?: RehearseOptions & { readonly past?: Past }): Promise<Rehearsal>;
}

/** What a rehearsal under way is: for clients and recorders that a definition holds from elsewhere. */
export interface Stage {
  readonly client: Client;
  readonly events: RehearsedEvent[];
}

/**
 * Creates a rehearser; nothing runs before `rehearse`.
 *
 * @param onStage is told when a rehearsal begins, and with undefined when it has ended; then one runs at a time
 * @example
 * const rehearser = createRehearser(definition, { client, env, informers });
 * const { writes } = await rehearser.rehearse(toKey('default', 'web'));
 * for (const { verb, object, changes } of writes) console.log(verb, object, changes);
 */
export function createRehearser<Observed>(
  definition: ControllerDefinition<Observed>,
  options: RehearserOptions,
  onStage?: (stage: Stage | undefined) => void,
): Rehearser {
  return new DefinitionRehearser(definition as ControllerDefinition, options, onStage ?? (() => {}));
}

class DefinitionRehearser implements Rehearser {
  readonly name: string;
  readonly caches: RehearsalCaches;
  readonly #definition: ControllerDefinition;
  readonly #options: RehearserOptions;
  readonly #onStage: (stage: Stage | undefined) => void;

  constructor(
    definition: ControllerDefinition,
    options: RehearserOptions,
    onStage: (stage: Stage | undefined) => void,
  ) {
    this.name = definition.name;
    this.caches = new RehearsalCaches(definition, options.informers);
    this.#definition = definition;
    this.#options = options;
    this.#onStage = onStage;
  }

  keys(): readonly ObjectKey[] {
    const own = this.caches.over(new PretendedWorld()).lister(this.#definition.for.resource).list().map(keyOf);
    return [...new Set([...own, ...(this.#definition.startKeys ?? [])])];
  }

  async rehearse(key: ObjectKey, options: RehearseOptions & { readonly past?: Past } = {}): Promise<Rehearsal> {
    const { signal, past } = options;
    const { env } = this.#options;
    const writes: RehearsedWrite[] = [];
    const events: RehearsedEvent[] = [];
    const world = new PretendedWorld();
    let action: Action | undefined;
    const client = createPretendClient({
      client: past?.client ?? this.#options.client,
      world,
      read: (resource, object) => this.#read(resource, object, past),
      dryRun: options.dryRun ?? 'local',
      nowMs: () => past?.nowMs ?? env.clock.nowMs(),
      action: () => {
        const taken = action;
        action = undefined;
        return taken;
      },
      onWrite: (write) => writes.push(write),
    });
    const run = new RunTime(env, this.#definition.timeoutMs, signal);
    this.#onStage({ client, events });
    const told = { controller: this.name, key, writes, events };
    try {
      const result = await this.#run(key, {
        client,
        world,
        signal: run.signal,
        past,
        onSend: (sent) => (action = sent),
        recordEvent: ({ event }) => events.push(event),
      });
      const requeueAfterMs = result?.requeueAfterMs;
      return { ...told, outcome: 'success', ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }) };
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      return { ...told, outcome: 'error', error: toRunError(error).message };
    } finally {
      run.end();
      this.#onStage(undefined);
    }
  }

  async #run(
    key: ObjectKey,
    stage: {
      readonly client: Client;
      readonly world: PretendedWorld;
      readonly signal: AbortSignal;
      readonly past: Past | undefined;
      readonly onSend: (action: Action | undefined) => void;
      readonly recordEvent: (action: EventAction) => void;
    },
  ): Promise<{ readonly requeueAfterMs?: number | undefined } | void> {
    const definition = this.#definition;
    const { env } = this.#options;
    const { client, world, signal, past, onSend, recordEvent } = stage;
    const caches = this.caches.over(world, past?.shown);
    const perform = async (plan: Parameters<typeof act>[0]): Promise<ActResult> => {
      const result = await act(plan, { client, env, signal, onSend, recordEvent });
      throwFailures(result);
      return result;
    };
    if ('reconcile' in definition) {
      const acting = async (plan: Parameters<typeof act>[0]): Promise<ActResult['outcomes']> =>
        (await perform(plan)).outcomes;
      return definition.reconcile({ key, caches, client, env, signal, act: acting });
    }
    const observed = definition.observe(key, caches);
    if (observed === undefined) return undefined;
    return perform(definition.diff(observed, past?.nowMs ?? env.clock.nowMs()));
  }

  /** An object as it was before anything was pretended: from its cache where that has all of it. */
  async #read(resource: ResourceType, key: ObjectKey, past: Past | undefined): Promise<KubeObject | undefined> {
    const cached = this.caches.find(resource, key, past?.shown);
    if (cached !== undefined) return cached.object;
    const { subresource: _subresource, ...plain } = resource;
    try {
      return await (past?.client ?? this.#options.client).get(plain, splitKey(key));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/** The signal of a rehearsed run: the caller's, and the definition's time limit. */
class RunTime {
  readonly signal: AbortSignal;
  readonly #timer: { cancel(): void } | undefined;

  constructor({ clock }: Env, timeoutMs: number | undefined, signal: AbortSignal | undefined) {
    const late = new AbortController();
    if (timeoutMs !== undefined)
      this.#timer = clock.setTimer(timeoutMs, () =>
        late.abort(new ReconcileTimeoutError(`the run took longer than ${timeoutMs} ms`)),
      );
    this.signal = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
  }

  end(): void {
    this.#timer?.cancel();
  }
}
