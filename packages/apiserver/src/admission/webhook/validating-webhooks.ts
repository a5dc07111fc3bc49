// ValidatingAdmissionWebhook: asks all webhooks that want the request, at once; the first refusal to arrive is the answer
// (spec/apiserver.md §15.3).

import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import type { AdmissionHost } from '../admission-host.ts';
import { observedCall } from './observed-call.ts';
import { type Invocation, selectWebhook } from './select-webhook.ts';
import { VersionedObjects } from './versioned-objects.ts';
import { WebhookPlugin, type WebhookPluginOptions } from './webhook-plugin.ts';

export class ValidatingAdmissionWebhook extends WebhookPlugin implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionWebhook';

  constructor(host: AdmissionHost, options: WebhookPluginOptions) {
    super(host, 'validating', options);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const webhooks = this.webhooksFor(attributes);
    if (webhooks.length === 0) return;
    const { host, caller, metrics } = this;
    const objects = new VersionedObjects(host.resources, attributes);
    const invocations: Invocation[] = [];
    for (const webhook of webhooks) {
      const invocation = await selectWebhook(webhook, { host, attributes, objects, metrics });
      if (invocation !== undefined) invocations.push(invocation);
    }
    if (invocations.length === 0) return;
    // In the order of arrival.
    const refusals: unknown[] = [];
    const context = { host, caller, attributes, objects, mutating: false, metrics };
    await Promise.all(
      invocations.map(async (invocation, index) => {
        try {
          const outcome = await observedCall(invocation, context);
          if (outcome.type === 'denied') throw outcome.error;
          if (outcome.type === 'failed') {
            this.failed(invocation, outcome.text);
            const key = `failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`;
            attributes.addAnnotation(key, invocation.webhook.name);
          }
        } catch (error) {
          refusals.push(error);
        }
      }),
    );
    if (refusals.length > 0) throw refusals[0];
  }
}
