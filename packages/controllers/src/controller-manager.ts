// The controller manager: shared informers, an event recorder and the chosen controllers under one runtime manager
// (spec/infrastructure.md §1). It knows no transport: who composes it says how each controller reaches the API server.

import { childEnv, type Env } from '@homeostat/base';
import { type Client, resourceId, type ResourceType } from '@homeostat/client';
import {
  type Controller,
  type ControllerDefinition,
  type ControllerDependencies,
  createController,
  createEventRecorder,
  createLeaderClient,
  createManager,
  InformerFactory,
  type LeaderElector,
  type Manager,
  type WatchDefinition,
  withoutManagedFields,
} from '@homeostat/runtime';
import { selectControllers } from './controller-selection.ts';
import {
  type ControllerEntry,
  type ControllerSettings,
  controllerTable,
  type RunnablePart,
} from './controller-table.ts';
import type { Discover } from './shared/discovered-resources.ts';

export interface ControllerManagerOptions {
  readonly env: Env;
  /** Informers, events and the token controller. */
  readonly client: Client;
  /** The client of one controller, by the ServiceAccount it acts as; default {@link client} for all. */
  readonly clientFor?: (serviceAccount: string) => Client;
  readonly discover: Discover;
  /** `--controllers`; default `['*']`. */
  readonly controllers?: readonly string[];
  readonly settings?: ControllerSettings;
  readonly election?: LeaderElector;
  /** `--min-resync-period`, milliseconds; default 12 h. */
  readonly resyncPeriodMs?: number;
  /** Period of comparing caches with the server, milliseconds; 0 never. */
  readonly repairPeriodMs?: number;
  /** Hears of every action of every controller. */
  readonly onAction?: ControllerDependencies['onAction'];
  readonly freeze?: boolean;
}

export interface ControllerManager {
  readonly manager: Manager;
  /** Canonical names of the controllers that run. */
  readonly names: readonly string[];
  readonly informers: InformerFactory;
  /** The controllers over keys, in the order of {@link names}; one name may stand for several. */
  readonly controllers: readonly Controller[];
  /** The parts that are no controllers over keys: the garbage collector. */
  readonly runnables: readonly RunnablePart[];
}

/**
 * Puts the controllers together; nothing runs before `manager.run`.
 * @throws UnknownControllerError for a name in `controllers` that nobody knows
 */
export function createControllerManager(options: ControllerManagerOptions): ControllerManager {
  const { env, client } = options;
  const isSelected = selectControllers(options.controllers ?? ['*'], controllerTable);
  const informers = new InformerFactory({
    client,
    env,
    transform: withoutManagedFields,
    ...(options.resyncPeriodMs === undefined ? {} : { resyncPeriodMs: options.resyncPeriodMs }),
    ...(options.repairPeriodMs === undefined ? {} : { repairPeriodMs: options.repairPeriodMs }),
    ...(options.freeze === undefined ? {} : { freeze: options.freeze }),
  });
  const recorder = createEventRecorder({ client, env, component: 'kube-controller-manager' });
  const manager = createManager({
    env,
    informers,
    ...(options.election === undefined ? {} : { election: options.election }),
  });
  manager.add({ name: 'events', run: (run) => recorder.run(run) }, { group: 'services' });
  const names: string[] = [];
  const controllers: Controller[] = [];
  const runnables: RunnablePart[] = [];
  const whole = new Map<string, ResourceType>();
  // The garbage collector comes last: it shares the informers of all others. (The quota controller shares them too, but only once
  // it runs.)
  const selected = controllerTable.filter((entry) => isSelected(entry.name));
  const isCollector = (entry: ControllerEntry): boolean => entry.name === 'garbage-collector-controller';
  for (const entry of [...selected.filter((each) => !isCollector(each)), ...selected.filter(isCollector)]) {
    const plain = entry.serviceAccount === '' ? client : (options.clientFor?.(entry.serviceAccount) ?? client);
    const own =
      options.election === undefined ? plain : createLeaderClient({ client: plain, leadership: options.election });
    const controllerEnv = childEnv(env, { controller: entry.name });
    const parts = entry.make?.({
      env: controllerEnv,
      client: own,
      informers,
      recorder,
      discover: options.discover,
      settings: options.settings ?? {},
      wholeResources: () => [...whole.values()],
    });
    if (parts === undefined || parts.length === 0) continue;
    names.push(entry.name);
    manager.addHealthCheck(entry.name, () => undefined);
    for (const part of parts) {
      if ('runnable' in part) {
        runnables.push(part.runnable);
        manager.add({ name: part.runnable.name, run: (run) => part.runnable.run(run) });
        continue;
      }
      for (const watch of watchesOf(part.definition)) whole.set(resourceId(watch.resource), watch.resource);
      const dependencies: ControllerDependencies = {
        client: own,
        reader: client,
        env: controllerEnv,
        informers,
        recordEvent: (action, source) => recorder.recordAction(action, source),
        ...(options.onAction === undefined ? {} : { onAction: options.onAction }),
      };
      const controller = createController(part.definition, dependencies);
      part.onCreated?.(controller);
      controllers.push(controller);
      manager.addController(controller);
    }
  }
  return { manager, names, informers, controllers, runnables };
}

// Watches of whole objects, of all namespaces.
function watchesOf(definition: ControllerDefinition): readonly WatchDefinition[] {
  return [definition.for, ...(definition.watches ?? [])].filter(
    (watch) => watch.select === undefined && watch.metadataOnly !== true,
  );
}
