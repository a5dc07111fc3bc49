// A controller over the fake server, in virtual time: what the tests of this package's controllers start from.

import { createVirtualEnv, type Metrics } from '@homeostat/base';
import { createController, type Controller } from '../controller/controller.ts';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import type { ControllerDependencies } from '../controller/controller-dependencies.ts';
import { InformerFactory } from '../informer/informer-factory.ts';
import { FakeServer } from './fake-server.ts';

/** What runs; `stop` ends it. */
export interface ControllerFixture {
  readonly env: ReturnType<typeof createVirtualEnv>;
  readonly server: FakeServer;
  readonly controller: Controller;
  readonly reconciles: string[];
  readonly stop: () => Promise<void>;
}

/** Starts a controller and the informers it asks for. `reconciles` are the keys it looked at, in order. */
export async function startController<O>(
  definition: ControllerDefinition<O>,
  more: Partial<ControllerDependencies> & {
    readonly prepare?: (server: FakeServer) => void;
    readonly metrics?: Metrics;
  } = {},
): Promise<ControllerFixture> {
  const { prepare, metrics, ...dependencies } = more;
  const env = createVirtualEnv(metrics === undefined ? {} : { metrics });
  const server = new FakeServer(env);
  prepare?.(server);
  const client = server.client();
  const informers = new InformerFactory({ client, env, freeze: true, resyncPeriodMs: 0, repairPeriodMs: 0 });
  const reconciles: string[] = [];
  const counted: ControllerDefinition<O> =
    'reconcile' in definition
      ? {
          ...definition,
          reconcile: (context) => {
            reconciles.push(context.key);
            return definition.reconcile(context);
          },
        }
      : {
          ...definition,
          observe: (key, caches) => {
            reconciles.push(key);
            return definition.observe(key, caches);
          },
        };
  const controller = createController(counted, { client, env, informers, ...dependencies });
  const stopping = new AbortController();
  const running = Promise.all([
    informers.run({ signal: stopping.signal }),
    controller.run({ signal: stopping.signal }),
  ]);
  await env.clock.settle();
  return {
    env,
    server,
    controller,
    reconciles,
    stop: async () => {
      stopping.abort();
      await env.clock.run(running);
    },
  };
}
