// A whole operator from its controllers: informers, queues, events, election and manager, put together in the usual way. Whoever
// wants it otherwise puts the same parts together by hand; nothing here is hidden from them.

import type { Env } from '@homeostat/base';
import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import type { Client } from '@homeostat/client';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import type { ControllerDependencies } from '../controller/controller-dependencies.ts';
import { type Controller, createController } from '../controller/controller.ts';
import { installDefinitions } from '../crd/install-definitions.ts';
import { createEventRecorder, type EventRecorder } from '../events/event-recorder.ts';
import { InformerFactory, type InformerFactoryOptions } from '../informer/informer-factory.ts';
import type { LeaderElectionOptions } from '../leader-election/leader-election-options.ts';
import { createJournal, type Journal, type JournalOptions } from '../journal/journal.ts';
import { createLeaderElector } from '../leader-election/leader-elector.ts';
import { createManager, type Manager, type ManagerOptions } from '../manager/manager.ts';
import { createStagedParts } from '../rehearsal/staged-parts.ts';
import { createShadow, type Shadow, type ShadowOptions } from '../shadow/shadow.ts';
import { addOperatorWebhooks, type OperatorWebhooks, type ServeWebhooks } from './operator-webhooks.ts';
import { type OperatorPlan, rehearseOperator, type RehearseOperatorOptions } from '../rehearsal/rehearse-operator.ts';

export interface OperatorOptions {
  /** Names it in events and, unless {@link OperatorElection.name} says otherwise, its Lease. */
  readonly name: string;
  readonly client: Client;
  readonly env: Env;
  /** Definitions of its own resources: applied, and waited for, before anything else. Needs the right to write them; default none. */
  readonly definitions?: readonly CustomResourceDefinition[];
  /** What it does. With a function, definitions may use what the operator is made of. */
  readonly controllers: readonly ControllerDefinition[] | ((parts: OperatorParts) => readonly ControllerDefinition[]);
  /** Webhooks it serves: configurations are applied when they can be called. Not part of a rehearsal. Default none. */
  readonly webhooks?: OperatorWebhooks;
  /** How they are served; `runOperator` and test clusters bring it. */
  readonly serveWebhooks?: ServeWebhooks;
  /** How resources are cached: namespaces, transforms, resync. */
  readonly caches?: Omit<InformerFactoryOptions, 'client' | 'env'>;
  /** One of several replicas acts; default: this process acts at once. */
  readonly election?: OperatorElection;
  readonly graceMs?: ManagerOptions['graceMs'];
  /** See {@link ControllerDependencies}. */
  readonly onAction?: ControllerDependencies['onAction'];
  readonly onRun?: ControllerDependencies['onRun'];
  /** What is remembered of runs, and how loops are found; default: 2,000 runs, loops damped. `false`: no journal, and loops run free. */
  readonly journal?: false | Omit<JournalOptions, 'env'>;
  /** Second versions of controllers, by the names of the first: rehearsed after each run, compared, never written. Default none. */
  readonly shadows?: Readonly<Record<string, OperatorShadow>>;
}

/** A second version of a controller, and how it is compared with the first. */
export interface OperatorShadow extends Pick<
  ShadowOptions,
  'onDifference' | 'queueMax' | 'changesMax' | 'timeToleranceMs' | 'ignore'
> {
  /** With a function, it gets a client and events that only pretend. */
  readonly definition: ControllerDefinition | ((parts: OperatorParts) => ControllerDefinition);
}

/** A Lease to hold; the operator's client and events are used for it. */
export type OperatorElection = Omit<LeaderElectionOptions, 'client' | 'env' | 'name' | 'recordEvent'> & {
  /** Default the operator's name. */
  readonly name?: string;
};

/** What controllers may use besides their context. */
export interface OperatorParts {
  readonly client: Client;
  readonly env: Env;
  readonly informers: InformerFactory;
  /** Records core/v1 Events, e.g. `events.record({ regarding: object, type: 'Normal', reason: 'Created', message })`. */
  readonly events: EventRecorder;
}

export interface Operator extends OperatorParts {
  /** To add webhooks, servers, checks or more controllers before, or while, it runs. */
  readonly manager: Manager;
  readonly controllers: readonly Controller[];
  /** Also on `/debug/journal`. */
  readonly journal: Journal | undefined;
  /** Also on `/debug/shadows`. */
  readonly shadows: readonly Shadow[];
  /**
   * What it would do now, without doing it: from caches that are filled for this and given up after, whether it runs or not. Controllers are made
   * anew for it when `controllers` is a function, and then get a client and events that only pretend; those given as a list must write
   * through their context alone.
   * @throws what {@link rehearseOperator} throws.
   */
  rehearse(options?: RehearseOperatorOptions): Promise<OperatorPlan>;
  /**
   * Installs the definitions and runs until `signal` aborts and everything has ended.
   * @throws what {@link installDefinitions} and {@link Manager.run} throw.
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>;
}

/**
 * Puts an operator together; nothing runs before `run`.
 *
 * @example
 * const operator = createOperator({
 *   name: 'memcached-operator', client, env,
 *   definitions: [memcacheds.definition],
 *   controllers: ({ events }) => [memcachedController(events)],
 *   election: { namespace: 'operators', identity: `${hostname()}_${randomUUID()}`, releaseOnStop: true },
 * });
 * await operator.run({ signal });
 * @throws Error for webhooks that nobody serves, shadows of no controller, and what {@link createController} throws
 */
export function createOperator(options: OperatorOptions): Operator {
  const { name, client, env, definitions = [], caches = {}, election, graceMs, onAction, onRun } = options;
  const journal = options.journal === false ? undefined : createJournal({ ...options.journal, env });
  const informers = new InformerFactory({ ...caches, client, env });
  const events = createEventRecorder({ client, env, component: name });
  const manager = createManager({
    env,
    informers,
    ...(graceMs === undefined ? {} : { graceMs }),
    ...(election === undefined ? {} : { election: electorOf(name, election, client, env, events) }),
  });
  manager.add({ name: 'events', run: (context) => events.run(context) }, { group: 'services' });
  if (options.webhooks !== undefined) {
    const { webhooks, serveWebhooks } = options;
    addOperatorWebhooks(manager, serveWebhooks, { webhooks, name: webhooks.name ?? name, client, env, definitions });
  }
  const parts: OperatorParts = { client, env, informers, events };
  const definedWith = (given: OperatorParts): readonly ControllerDefinition[] =>
    typeof options.controllers === 'function' ? options.controllers(given) : options.controllers;
  const defined = definedWith(parts);
  const shadows = shadowsOf(options, defined, parts);
  const observers = [...(journal === undefined ? [] : [journal.observe]), ...shadows.map((shadow) => shadow.observe)];
  const controllers = defined.map((definition) =>
    createController(definition, {
      ...parts,
      recordEvent: (action, component) => events.recordAction(action, component),
      ...(onAction === undefined ? {} : { onAction }),
      ...(onRun === undefined ? {} : { onRun }),
      observers,
    }),
  );
  for (const shadow of shadows) manager.add(shadow, { group: 'always' });
  if (shadows.length > 0) manager.addDiagnosis('shadows', () => shadows.map((shadow) => shadow.picture()));
  if (journal !== undefined) manager.addDiagnosis('journal', () => journal.picture());
  for (const controller of controllers) manager.addController(controller);
  return {
    ...parts,
    manager,
    controllers,
    journal,
    shadows,
    rehearse: (rehearsal) =>
      rehearseOperator(
        {
          name,
          client,
          env,
          definitions,
          controllers: definedWith,
          newInformers: () => new InformerFactory({ ...caches, client, env }),
        },
        rehearsal,
      ),
    async run({ signal }) {
      try {
        await installDefinitions(definitions, { client, env, signal, fieldManager: name });
      } catch (error) {
        if (signal.aborted) return; // told to stop before it had begun
        throw error;
      }
      await manager.run({ signal });
    },
  };
}

/** @throws Error when a shadow is of no controller */
function shadowsOf(
  { shadows = {} }: OperatorOptions,
  controllers: readonly ControllerDefinition[],
  parts: OperatorParts,
): readonly Shadow[] {
  return Object.entries(shadows).map(([of, { definition, ...options }]) => {
    if (!controllers.some(({ name }) => name === of)) throw new Error(`there is no controller ${of} to shadow`);
    const { client, events, onStage } = createStagedParts(parts);
    const second = typeof definition === 'function' ? definition({ ...parts, client, events }) : definition;
    return createShadow({ ...options, ...parts, of, definition: second, onStage });
  });
}

function electorOf(
  operator: string,
  { name = operator, ...election }: OperatorElection,
  client: Client,
  env: Env,
  events: EventRecorder,
): ReturnType<typeof createLeaderElector> {
  return createLeaderElector({
    ...election,
    name,
    client,
    env,
    recordEvent: (lease, message) =>
      events.record({ regarding: lease, type: 'Normal', reason: 'LeaderElection', message }),
  });
}
