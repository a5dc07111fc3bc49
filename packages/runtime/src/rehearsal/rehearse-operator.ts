// Rehearses a whole operator: all keys of all its controllers, one after the other, each as if nothing else had been written.

import { type Env, Pacer, Scope } from '@homeostat/base';
import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import type { Client, ObjectKey } from '@homeostat/client';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import type { InformerFactory } from '../informer/informer-factory.ts';
import { untilFilled } from '../manager/manager.ts';
import { createRehearser, type Rehearsal, type RehearseOptions } from './rehearsal.ts';
import { rehearseDefinitions } from './rehearse-definitions.ts';
import { countWrites, isAtRest, renderRehearsals, type WriteCounts } from './render-rehearsal.ts';
import { createStagedParts } from './staged-parts.ts';

export interface RehearseOperatorOptions extends RehearseOptions {
  /** One controller only, by its name. */
  readonly controller?: string;
  /** One key only. */
  readonly key?: ObjectKey;
  /** Longest wait for caches of an operator that does not run, milliseconds; default 60 s. */
  readonly syncTimeoutMs?: number;
}

/** What an operator would do now. */
export interface OperatorPlan {
  readonly rehearsals: readonly Rehearsal[];
  readonly counts: WriteCounts;
  /** Nothing would change, and nothing fails. */
  readonly isEmpty: boolean;
  /** For people. */
  toText(): string;
  /** For programs: the rehearsals without whole objects, and the counts. */
  toJSON(): unknown;
}

export interface OperatorSubject {
  readonly name: string;
  readonly client: Client;
  readonly env: Env;
  readonly definitions: readonly CustomResourceDefinition[];
  /** The controllers as they are when they are given these parts. */
  readonly controllers: (parts: {
    readonly client: Client;
    readonly env: Env;
    readonly informers: InformerFactory;
    readonly events: EventRecorder;
  }) => readonly ControllerDefinition[];
  readonly newInformers: () => InformerFactory;
}

/** @throws Error when caches are not filled in time, or no controller has that name; the signal's reason. */
export async function rehearseOperator(
  subject: OperatorSubject,
  options: RehearseOperatorOptions = {},
): Promise<OperatorPlan> {
  const { client, env, name } = subject;
  const { controller, key, signal } = options;
  const parts = createStagedParts({ client, env });
  const informers = subject.newInformers();
  const definitions = subject
    .controllers({ client: parts.client, events: parts.events, env, informers })
    .filter((definition) => (controller ?? definition.name) === definition.name);
  if (controller !== undefined && definitions.length === 0) throw new Error(`there is no controller ${controller}`);
  const rehearsers = definitions.map((each) => createRehearser(each, { client, env, informers }, parts.onStage));
  const rehearsals: Rehearsal[] = [];
  if (controller === undefined && key === undefined) {
    rehearsals.push(
      ...(await rehearseDefinitions(subject.definitions, { ...options, client, env, fieldManager: name })),
    );
  }
  const scope = new Scope(signal === undefined ? {} : { signal });
  scope.spawn('informers of a rehearsal', (inner) => informers.run({ signal: inner }));
  try {
    await filled(informers, env, options);
    const pacer = new Pacer(env.clock);
    for (const rehearser of rehearsers) {
      for (const each of key === undefined ? rehearser.keys() : [key]) {
        signal?.throwIfAborted();
        rehearsals.push(await rehearser.rehearse(each, options));
        if (pacer.due()) await pacer.yield();
      }
    }
  } finally {
    await scope.close();
  }
  return planOf(rehearsals);
}

async function filled(
  informers: InformerFactory,
  env: Env,
  { signal, syncTimeoutMs = 60_000 }: RehearseOperatorOptions,
): Promise<void> {
  const late = new AbortController();
  const timer = env.clock.setTimer(syncTimeoutMs, () => late.abort());
  try {
    const either = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]);
    await untilFilled(informers.informers(), either);
    signal?.throwIfAborted();
    if (late.signal.aborted)
      throw new Error(`caches were not filled within ${syncTimeoutMs / 1000} s: ${informers.unsynced().join(', ')}`);
  } finally {
    timer.cancel();
  }
}

function planOf(rehearsals: readonly Rehearsal[]): OperatorPlan {
  const counts = countWrites(rehearsals);
  return {
    rehearsals,
    counts,
    isEmpty: isAtRest(counts) && counts.failed === 0,
    toText: () => renderRehearsals(rehearsals),
    toJSON: () => ({
      counts,
      rehearsals: rehearsals.map(({ writes, ...rest }) => ({
        ...rest,
        writes: writes.map(({ before: _before, after: _after, ...write }) => write),
      })),
    }),
  };
}
