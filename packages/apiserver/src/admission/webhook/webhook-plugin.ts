// What the two webhook plugins have in common: where their webhooks come from, whom a request may concern, what a failed call means.

import { newInternalError } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import { type AdmissionHost, isOwnStart } from '../admission-host.ts';
import type { LoadConditionLanguage } from './condition-language.ts';
import { failedCalling } from './denied.ts';
import { isExempt } from './match-rules.ts';
import type { Invocation } from './select-webhook.ts';
import type { WebhookCaller } from './webhook-caller.ts';
import { WebhookMetrics } from './webhook-metrics.ts';
import { WebhookSource } from './webhook-source.ts';

export interface WebhookPluginOptions {
  readonly caller: WebhookCaller;
  /** Evaluates match conditions. */
  readonly language: LoadConditionLanguage;
}

export abstract class WebhookPlugin {
  protected readonly host: AdmissionHost;
  protected readonly caller: WebhookCaller;
  protected readonly metrics: WebhookMetrics;
  readonly #source: WebhookSource;

  constructor(
    host: AdmissionHost,
    type: ConstructorParameters<typeof WebhookSource>[1],
    { caller, language }: WebhookPluginOptions,
  ) {
    this.host = host;
    this.caller = caller;
    this.#source = new WebhookSource(host, type, language);
    this.metrics = new WebhookMetrics(host.env.metrics);
  }

  handles(): boolean {
    return true;
  }

  /** The webhooks that may be asked about a request, in order. */
  protected webhooksFor(attributes: AdmissionAttributes): ReturnType<WebhookSource['list']> {
    const webhooks = this.#source.list();
    return webhooks.length === 0 || isExempt(attributes.kind) || isOwnStart(this.host, attributes) ? [] : webhooks;
  }

  /** A call failed. @throws ApiError unless the webhook's failures are ignored */
  protected failed({ webhook }: Invocation, text: string): void {
    const { log } = this.host.env;
    if (!webhook.ignoresFailures) {
      log.warn('failed calling webhook, failing closed', { webhook: webhook.name, reason: text });
      throw newInternalError(failedCalling(webhook.name, text));
    }
    log.warn('failed calling webhook, failing open', { webhook: webhook.name, reason: text });
  }
}
