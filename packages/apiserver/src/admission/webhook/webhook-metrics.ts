// What is counted of webhooks, under upstream's names. Label values come from configurations and fixed sets.

import type { Metrics } from '@homeostat/base';
import type { AdmissionOperation } from '../../server/admission.ts';
import type { Webhook } from './webhook.ts';

export type RejectionCause = 'calling_webhook_error' | 'apiserver_internal_error' | 'no_error';

const secondsBuckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25];
const codeMax = 600;

export interface CallObservation {
  readonly operation: AdmissionOperation;
  readonly seconds: number;
  readonly rejected: boolean;
  readonly code: number;
}

export class WebhookMetrics {
  readonly #duration;
  readonly #requests;
  readonly #rejections;
  readonly #failOpen;
  readonly #conditionErrors;
  readonly #exclusions;

  constructor(metrics: Metrics) {
    const prefix = 'apiserver_admission_webhook';
    this.#duration = metrics.histogram({
      name: `${prefix}_admission_duration_seconds`,
      help: 'Time admission webhooks took, in seconds',
      labelNames: ['name', 'type', 'operation', 'rejected'],
      buckets: secondsBuckets,
    });
    this.#requests = metrics.counter({
      name: `${prefix}_request_total`,
      help: 'Calls of admission webhooks',
      labelNames: ['name', 'type', 'operation', 'code', 'rejected'],
    });
    this.#rejections = metrics.counter({
      name: `${prefix}_rejection_count`,
      help: 'Requests refused because of an admission webhook',
      labelNames: ['name', 'type', 'operation', 'error_type', 'rejection_code'],
    });
    this.#failOpen = metrics.counter({
      name: `${prefix}_fail_open_count`,
      help: 'Requests that went on although an admission webhook failed',
      labelNames: ['name', 'type'],
    });
    this.#conditionErrors = metrics.counter({
      name: 'apiserver_admission_match_condition_evaluation_errors_total',
      help: 'Match conditions that could not be evaluated',
      labelNames: ['name', 'kind', 'type', 'operation'],
    });
    this.#exclusions = metrics.counter({
      name: 'apiserver_admission_match_condition_exclusions_total',
      help: 'Requests that match conditions excluded',
      labelNames: ['name', 'kind', 'type', 'operation'],
    });
  }

  called({ name, type }: Webhook, { operation, seconds, rejected, code }: CallObservation): void {
    const labels = { name, type, operation, rejected: String(rejected) };
    this.#duration.observe(seconds, labels);
    this.#requests.inc({ ...labels, code: String(Math.min(code, codeMax)) });
  }

  rejected({ name, type }: Webhook, operation: AdmissionOperation, cause: RejectionCause, code: number): void {
    const labels = { name, type, operation, error_type: cause, rejection_code: String(Math.min(code, codeMax)) };
    this.#rejections.inc(labels);
  }

  failedOpen({ name, type }: Webhook): void {
    this.#failOpen.inc({ name, type });
  }

  conditionErrors({ name, type }: Webhook, operation: AdmissionOperation, count: number): void {
    this.#conditionErrors.inc({ name, kind: 'webhook', type, operation }, count);
  }

  excludedByCondition({ name, type }: Webhook, operation: AdmissionOperation): void {
    this.#exclusions.inc({ name, kind: 'webhook', type, operation });
  }
}
