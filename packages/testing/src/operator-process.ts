// An operator as a process of a test cluster: it can be stopped in order, crash, and be started again.

import { childEnv } from '@homeostat/base';
import { createClient, createInProcessTransport } from '@homeostat/client';
import { adminUser } from '@homeostat/cluster';
import { createOperator, type Operator } from '@homeostat/runtime';
import type { ProcessContext } from './controller-manager-process.ts';
import { cutOff } from './cut-off.ts';
import type { OperatorComponentOptions } from './operator-component.ts';
import { type ProcessLife, startProcess } from './process-life.ts';
import type { WebhookRegistry } from './webhooks/webhook-registry.ts';

export interface OperatorProcess extends ProcessLife {
  readonly name: string;
  /** Its manager, controllers and informers. */
  readonly operator: Operator;
}

/** Starts an operator over a handle. */
export function startOperator(
  { user = adminUser, ...options }: OperatorComponentOptions,
  context: ProcessContext & { readonly webhooks: WebhookRegistry },
): OperatorProcess {
  const { name } = options;
  const env = childEnv(context.env, { component: name });
  const power = new AbortController();
  const transport = createInProcessTransport({ handle: cutOff(context.handle, power.signal), user });
  const client = createClient({ transport, env, userAgent: name, onWarning: () => {} });
  const operator = createOperator({
    ...options,
    caches: { freeze: true, ...options.caches },
    env,
    client,
    serveWebhooks: context.webhooks.serve((handle) => cutOff(handle, power.signal)),
  });
  const { manager } = operator;
  const life = startProcess({ name, manager, power, run: (running) => operator.run(running) });
  // Assigned, not spread: what it says of itself changes.
  return Object.assign(life, { name, operator });
}
