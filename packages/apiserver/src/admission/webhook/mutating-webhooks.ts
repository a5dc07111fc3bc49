// MutatingAdmissionWebhook: asks webhooks one after another, each sees what the ones before it changed; a second round
// follows when an object changed under a webhook that cares (spec/apiserver.md §15.3).

import { newTimeout } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import type { AdmissionHost } from '../admission-host.ts';
import { patchObject, readPatch } from './apply-patch.ts';
import type { CallOutcome } from './call-webhook.ts';
import { guardManagedFields } from './managed-fields-guard.ts';
import { MutationAnnotator } from './mutation-annotator.ts';
import { observedCall } from './observed-call.ts';
import { ReinvokedWebhooks } from './reinvoked-webhooks.ts';
import { type Invocation, selectWebhook } from './select-webhook.ts';
import { VersionedObjects } from './versioned-objects.ts';
import { WebhookPlugin, type WebhookPluginOptions } from './webhook-plugin.ts';

interface Round {
  readonly attributes: AdmissionAttributes;
  readonly objects: VersionedObjects;
}

export class MutatingAdmissionWebhook extends WebhookPlugin implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionWebhook';

  constructor(host: AdmissionHost, options: WebhookPluginOptions) {
    super(host, 'admit', options);
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const webhooks = this.webhooksFor(attributes);
    if (webhooks.length === 0) return;
    const { host, metrics } = this;
    const { reinvocation } = attributes;
    const reinvoked = reinvocation.state(this.name, () => new ReinvokedWebhooks());
    if (reinvocation.round === 1 && reinvoked.isChangedSince(attributes.object)) reinvoked.changed();
    const round: Round = { attributes, objects: new VersionedObjects(host.resources, attributes) };
    const restore = guardManagedFields(attributes);
    for (const [index, webhook] of webhooks.entries()) {
      const invocation = await selectWebhook(webhook, { host, attributes, objects: round.objects, metrics });
      if (invocation === undefined) continue;
      // The second round is for webhooks that were called in the first.
      if (reinvocation.round === 1 && !reinvoked.runsAgain(webhook.uid)) continue;
      const changed = await this.#call(invocation, index, round);
      if (changed) {
        reinvoked.changed();
        reinvocation.request();
      }
      if (webhook.spec.reinvocationPolicy === 'IfNeeded') reinvoked.called(webhook.uid);
    }
    restore();
    reinvoked.roundDone(attributes.object);
  }

  /** Whether the webhook changed the object. @throws ApiError when the request is refused */
  async #call(invocation: Invocation, index: number, { attributes, objects }: Round): Promise<boolean> {
    const { webhook, kind } = invocation;
    const { host, caller, metrics } = this;
    const context = { host, caller, metrics, attributes, objects, mutating: true };
    const annotator = new MutationAnnotator(attributes, webhook, index);
    let changed = false;
    let outcome: CallOutcome;
    try {
      outcome = await observedCall(invocation, context, ({ verdict }) => {
        const operations = readPatch(verdict.patch);
        if (operations.length === 0) return;
        changed = patchObject(operations, { webhook: webhook.name, kind, objects });
        annotator.patched(operations);
      });
    } finally {
      annotator.done(changed);
    }
    if (outcome.type === 'denied') throw outcome.error;
    if (outcome.type === 'failed') {
      this.failed(invocation, outcome.text);
      annotator.failedOpen();
      if (attributes.signal.aborted) throw newTimeout('request did not complete within requested timeout');
    }
    return changed;
  }
}
