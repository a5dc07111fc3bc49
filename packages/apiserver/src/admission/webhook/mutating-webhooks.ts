// MutatingAdmissionWebhook: asks webhooks one after another, each sees what the ones before it changed; a second round
// follows when an object changed under a webhook that cares (spec/apiserver.md §15.3).

import { newInternalError, newTimeout } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { type AdmissionHost, isOwnStart } from '../admission-host.ts';
import { patchObject, readPatch } from './apply-patch.ts';
import type { CallOutcome } from './call-webhook.ts';
import { failedCalling } from './denied.ts';
import { guardManagedFields } from './managed-fields-guard.ts';
import { isExempt } from './match-rules.ts';
import { MutationAnnotator } from './mutation-annotator.ts';
import { observedCall } from './observed-call.ts';
import { ReinvokedWebhooks } from './reinvoked-webhooks.ts';
import { type Invocation, selectWebhook } from './select-webhook.ts';
import type { WebhookPluginOptions } from './validating-webhooks.ts';
import { VersionedObjects } from './versioned-objects.ts';
import type { WebhookCaller } from './webhook-caller.ts';
import { WebhookMetrics } from './webhook-metrics.ts';
import { WebhookSource } from './webhook-source.ts';

interface Round {
  readonly attributes: AdmissionAttributes;
  readonly objects: VersionedObjects;
}

export class MutatingAdmissionWebhook implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionWebhook';
  readonly #host: AdmissionHost;
  readonly #caller: WebhookCaller;
  readonly #source: WebhookSource;
  readonly #metrics: WebhookMetrics;

  constructor(host: AdmissionHost, { caller, language }: WebhookPluginOptions) {
    this.#host = host;
    this.#caller = caller;
    this.#source = new WebhookSource(host, 'admit', language);
    this.#metrics = new WebhookMetrics(host.env.metrics);
  }

  handles(): boolean {
    return true;
  }

  async admit(attributes: AdmissionAttributes): Promise<void> {
    const webhooks = this.#source.list();
    if (webhooks.length === 0 || isExempt(attributes.kind) || isOwnStart(this.#host, attributes)) return;
    const host = this.#host;
    const metrics = this.#metrics;
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
    const context = {
      host: this.#host,
      caller: this.#caller,
      metrics: this.#metrics,
      attributes,
      objects,
      mutating: true,
    };
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
    if (outcome.type === 'failed') this.#failed(invocation, outcome.text, { attributes, annotator });
    return changed;
  }

  #failed(
    { webhook }: Invocation,
    text: string,
    { attributes, annotator }: { readonly attributes: AdmissionAttributes; readonly annotator: MutationAnnotator },
  ): void {
    const { log } = this.#host.env;
    if (!webhook.ignoresFailures) {
      log.warn('failed calling webhook, failing closed', { webhook: webhook.name, reason: text });
      throw newInternalError(failedCalling(webhook.name, text));
    }
    log.warn('failed calling webhook, failing open', { webhook: webhook.name, reason: text });
    annotator.failedOpen();
    if (attributes.signal.aborted) throw newTimeout('request did not complete within requested timeout');
  }
}
