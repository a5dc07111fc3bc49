// A call with what is counted of it, the same for both kinds of webhooks.

import type { AdmissionOperation } from '../../server/admission.ts';
import { callWebhook, type CallContext, type CallOutcome } from './call-webhook.ts';
import type { Invocation } from './select-webhook.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/**
 * Calls and counts. `handle` takes what the webhook allowed (a patch to apply); what it throws is this server's failure.
 * For outcomes other than `allowed`, `handle` is not called.
 *
 * @throws what callWebhook and `handle` throw
 */
export async function observedCall(
  invocation: Invocation,
  context: CallContext & { readonly metrics: WebhookMetrics },
  handle: (outcome: CallOutcome & { readonly type: 'allowed' }) => void = () => {},
): Promise<CallOutcome> {
  const { metrics, host, attributes } = context;
  const { webhook } = invocation;
  const { operation } = attributes;
  const startedMs = host.env.clock.monotonicMs();
  const observe = (rejected: boolean, code: number): void =>
    metrics.called(webhook, { operation, rejected, code, seconds: (host.env.clock.monotonicMs() - startedMs) / 1000 });
  try {
    const outcome = await callWebhook(invocation, context);
    if (outcome.type === 'allowed') handle(outcome);
    count(outcome, { invocation, metrics, operation, observe });
    return outcome;
  } catch (error) {
    metrics.rejected(webhook, operation, 'apiserver_internal_error', 0);
    observe(true, 0);
    throw error;
  }
}

function count(
  outcome: CallOutcome,
  {
    invocation: { webhook },
    metrics,
    operation,
    observe,
  }: {
    readonly invocation: Invocation;
    readonly metrics: WebhookMetrics;
    readonly operation: AdmissionOperation;
    observe(rejected: boolean, code: number): void;
  },
): void {
  switch (outcome.type) {
    case 'allowed':
      observe(false, 200);
      break;
    case 'denied':
      metrics.rejected(webhook, operation, 'no_error', outcome.error.code);
      observe(true, outcome.error.code);
      break;
    case 'failed':
      if (webhook.ignoresFailures) metrics.failedOpen(webhook);
      else metrics.rejected(webhook, operation, 'calling_webhook_error', outcome.code);
      observe(!webhook.ignoresFailures, outcome.code);
      break;
  }
}
