// Operators beside the control plane: an operator of one's own as a component of a test cluster, on its clock, under its faults.

import type { UserInfo } from '@homeostat/client';
import { adminUser, type Component } from '@homeostat/cluster';
import { createOperator, type OperatorOptions } from '@homeostat/runtime';

export interface OperatorComponentOptions extends Omit<OperatorOptions, 'client' | 'env'> {
  /** Whom it acts as, RBAC included; default an administrator. */
  readonly user?: UserInfo;
}

/**
 * An operator as a component; see `createOperator`. Its caches are frozen: changing a shared object throws.
 *
 * @example
 * await using cluster = await createTestCluster({ nodes: 1, components: [operatorComponent({ name: 'memcached', definitions, controllers })] });
 */
export function operatorComponent({ user = adminUser, ...options }: OperatorComponentOptions): Component {
  return {
    name: options.name,
    create: ({ env, clientAs }) => {
      const operator = createOperator({
        ...options,
        caches: { freeze: true, ...options.caches },
        env,
        client: clientAs(user, options.name),
      });
      // Its definitions need the server that waits for its components: ready is said at once, tests wait for what they want to see.
      return { ready: Promise.resolve(), run: ({ signal }) => operator.run({ signal }) };
    },
  };
}
