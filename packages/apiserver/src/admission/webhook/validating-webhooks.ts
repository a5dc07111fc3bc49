// ValidatingAdmissionWebhook: asks all webhooks that want the request, at once; the first refusal to arrive is the answer
// (spec/apiserver.md §15.3).

import { newInternalError } from '@homeostat/machinery';
import type { AdmissionAttributes, AdmissionPlugin } from '../../server/admission.ts';
import { type AdmissionHost, isOwnStart } from '../admission-host.ts';
import type { LoadConditionLanguage } from './condition-language.ts';
import { failedCalling } from './denied.ts';
import { isExempt } from './match-rules.ts';
import { observedCall } from './observed-call.ts';
import { type Invocation, selectWebhook } from './select-webhook.ts';
import { VersionedObjects } from './versioned-objects.ts';
import type { WebhookCaller } from './webhook-caller.ts';
import { WebhookMetrics } from './webhook-metrics.ts';
import { WebhookSource } from './webhook-source.ts';

export interface WebhookPluginOptions {
  readonly caller: WebhookCaller;
  /** Evaluates match conditions. */
  readonly language: LoadConditionLanguage;
}

export class ValidatingAdmissionWebhook implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionWebhook';
  readonly #host: AdmissionHost;
  readonly #caller: WebhookCaller;
  readonly #source: WebhookSource;
  readonly #metrics: WebhookMetrics;

  constructor(host: AdmissionHost, { caller, language }: WebhookPluginOptions) {
    this.#host = host;
    this.#caller = caller;
    this.#source = new WebhookSource(host, 'validating', language);
    this.#metrics = new WebhookMetrics(host.env.metrics);
  }

  handles(): boolean {
    return true;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const webhooks = this.#source.list();
    if (webhooks.length === 0 || isExempt(attributes.kind) || isOwnStart(this.#host, attributes)) return;
    const host = this.#host;
    const metrics = this.#metrics;
    const objects = new VersionedObjects(host.resources, attributes);
    const invocations: Invocation[] = [];
    for (const webhook of webhooks) {
      const invocation = await selectWebhook(webhook, { host, attributes, objects, metrics });
      if (invocation !== undefined) invocations.push(invocation);
    }
    if (invocations.length === 0) return;
    // In the order of arrival.
    const refusals: unknown[] = [];
    const context = { host, caller: this.#caller, attributes, objects, mutating: false, metrics };
    await Promise.all(
      invocations.map(async (invocation, index) => {
        try {
          const outcome = await observedCall(invocation, context);
          if (outcome.type === 'denied') throw outcome.error;
          if (outcome.type === 'failed') this.#failed(invocation, index, outcome.text, attributes);
        } catch (error) {
          refusals.push(error);
        }
      }),
    );
    if (refusals.length > 0) throw refusals[0];
  }

  #failed({ webhook }: Invocation, index: number, text: string, attributes: AdmissionAttributes): void {
    const { log } = this.#host.env;
    if (!webhook.ignoresFailures) {
      log.warn('failed calling webhook, failing closed', { webhook: webhook.name, reason: text });
      throw newInternalError(failedCalling(webhook.name, text));
    }
    log.warn('failed calling webhook, failing open', { webhook: webhook.name, reason: text });
    const key = `failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`;
    attributes.addAnnotation(key, webhook.name);
  }
}
