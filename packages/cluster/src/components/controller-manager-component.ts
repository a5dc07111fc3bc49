// The controller manager inside the process: each controller acts as its own ServiceAccount, as with
// --use-service-account-credentials.

import { createDeferred } from '@homeostat/base';
import { type Client, discover } from '@homeostat/client';
import { type ControllerManagerOptions, createControllerManager, type Discover } from '@homeostat/controllers';
import { createLeaderElector } from '@homeostat/runtime';
import type { Component, ComponentContext, RunningComponent } from '../component.ts';
import { controllerManagerUser, controllerUser } from '../identities.ts';

export type ControllerManagerComponentOptions = Pick<
  ControllerManagerOptions,
  'controllers' | 'settings' | 'resyncPeriodMs' | 'repairPeriodMs' | 'onAction' | 'freeze'
> & {
  /** Elects a leader before acting, under this identity; absent: it is alone and acts at once. */
  readonly electAs?: string;
};

const userAgent = 'kube-controller-manager';

export function controllerManagerComponent(options: ControllerManagerComponentOptions = {}): Component {
  return { name: 'controller-manager', create: (context) => create(context, options) };
}

function create({ env, clientAs }: ComponentContext, options: ControllerManagerComponentOptions): RunningComponent {
  const client = clientAs(controllerManagerUser, userAgent);
  const { electAs, ...rest } = options;
  const election =
    electAs === undefined
      ? undefined
      : createLeaderElector({
          client,
          env,
          namespace: 'kube-system',
          name: 'kube-controller-manager',
          identity: electAs,
        });
  const { manager, informers } = createControllerManager({
    ...rest,
    ...(election === undefined ? {} : { election }),
    env,
    client,
    clientFor: (serviceAccount) => clientAs(controllerUser(serviceAccount), userAgent),
    discover: discoverWith(client),
  });
  const ready = createDeferred<void>();
  ready.promise.catch(() => {}); // told by run
  return {
    ready: ready.promise,
    run: async ({ signal }) => {
      informers.waitForSync(signal).then(ready.resolve, ready.reject);
      await manager.run({ signal });
    },
  };
}

/** What the server serves, through a client, as controllers want to know it. */
export function discoverWith(client: Client): Discover {
  return async (signal) => {
    const { resources, failures, groups } = await discover(client, { signal });
    const preferred = new Map(groups.map((group) => [group.group, group.versions]));
    const seen = new Map<string, { readonly rank: number; readonly resource: (typeof resources)[number] }>();
    for (const resource of resources) {
      const id = `${resource.group}/${resource.resource}`;
      const rank = preferred.get(resource.group)?.indexOf(resource.version) ?? 0;
      const known = seen.get(id);
      if (known === undefined || rank < known.rank) seen.set(id, { rank, resource });
    }
    return {
      resources: [...seen.values()].map((entry) => entry.resource),
      failed: [...failures].map(([groupVersion, error]) => ({ groupVersion, message: error.message })),
    };
  };
}
