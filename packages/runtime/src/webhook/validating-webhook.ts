// Validating webhooks: may this object be stored?

import { ApiError } from '@homeostat/base';
import { type FieldError, type KubeObject, newInvalid } from '@homeostat/machinery';
import type { AdmissionContext, AdmissionOperation } from './admission-request.ts';
import { type AdmissionWebhookOptions, createAdmissionWebhook } from './admission-webhook.ts';
import type { Webhook } from './webhook.ts';

/**
 * - nothing, or an empty text: allowed;
 * - a text: refused with it (403 Forbidden);
 * - field errors: refused as the API server refuses invalid objects (422 Invalid); an empty list allows.
 */
export type ValidationResult = void | string | readonly FieldError[];

export interface ValidatingWebhookOptions<
  T extends KubeObject,
  O extends AdmissionOperation,
> extends AdmissionWebhookOptions<T, O> {
  /**
   * Objects are shared with nobody, yet not to be changed. A thrown ApiError refuses with its own code and reason; anything else
   * that is thrown refuses with 500 and its message.
   */
  validate(context: AdmissionContext<T, O>): ValidationResult | Promise<ValidationResult>;
}

/**
 * Makes a validating webhook for the server of `@homeostat/runtime/node`, or for tests.
 *
 * @example
 * createValidatingWebhook({
 *   resource: memcacheds,
 *   validate({ object, oldObject, warn }) {
 *     if (object.spec.size > 100) warn('more than 100 is slow');
 *     if (oldObject !== undefined && oldObject.spec.port !== object.spec.port) return 'the port cannot change';
 *   },
 * });
 */
export function createValidatingWebhook<T extends KubeObject, O extends AdmissionOperation = 'CREATE' | 'UPDATE'>(
  options: ValidatingWebhookOptions<T, O>,
): Webhook {
  const { group, kind } = options.resource;
  return createAdmissionWebhook('validating', options, async (objects, context) => {
    const result = await options.validate({ ...context, ...objects } as unknown as AdmissionContext<T, O>);
    if (result === undefined || result.length === 0) return { allowed: true };
    if (typeof result === 'string') {
      const status = new ApiError({ code: 403, reason: 'Forbidden', message: result }).toStatus();
      return { allowed: false, status };
    }
    const name = context.request.name || (objects.object?.metadata?.generateName ?? '');
    return { allowed: false, status: newInvalid({ group, kind }, name, result).toStatus() };
  });
}
