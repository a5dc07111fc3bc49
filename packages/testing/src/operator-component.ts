// Operators beside the control plane: an operator of one's own as a component of a test cluster, on its clock, under its faults.

import type { UserInfo } from '@homeostat/client';
import { adminUser, type Component } from '@homeostat/cluster';
import { createOperator, type OperatorOptions } from '@homeostat/runtime';
import { WebhookRegistry } from './webhooks/webhook-registry.ts';

export interface OperatorComponentOptions extends Omit<OperatorOptions, 'client' | 'env' | 'serveWebhooks'> {
  /** Whom it acts as, RBAC included; default an administrator. */
  readonly user?: UserInfo;
}

export interface OperatorComponent extends Component {
  /** Who serves its webhooks: `createTestCluster` calls them in process, whatever certificates and ports its options name. */
  readonly webhooks: WebhookRegistry;
}

/**
 * An operator as a component; see `createOperator`. Its caches are frozen: changing a shared object throws.
 *
 * @example
 * await using cluster = await createTestCluster({ nodes: 1, components: [operatorComponent({ name: 'memcached', definitions, controllers })] });
 */
export function operatorComponent({ user = adminUser, ...options }: OperatorComponentOptions): OperatorComponent {
  const webhooks = new WebhookRegistry();
  return {
    name: options.name,
    webhooks,
    create: ({ env, clientAs }) => {
      const operator = createOperator({
        ...options,
        caches: { freeze: true, ...options.caches },
        env,
        serveWebhooks: webhooks.serve(),
        client: clientAs(user, options.name),
      });
      // Its definitions need the server that waits for its components: ready is said at once, tests wait for what they want to see.
      return { ready: Promise.resolve(), run: ({ signal }) => operator.run({ signal }) };
    },
  };
}
