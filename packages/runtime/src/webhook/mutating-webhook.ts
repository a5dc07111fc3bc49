// Mutating webhooks: what the object shall be. Handlers say the object; the patch is found here.

import { cloneJson, createJsonPatch, type Json, type KubeObject, type Mutable } from '@homeostat/machinery';
import type { AdmissionContext, AdmissionOperation } from './admission-request.ts';
import { type AdmissionWebhookOptions, createAdmissionWebhook } from './admission-webhook.ts';
import type { Webhook } from './webhook.ts';

/** Objects there is something to change about: deletions can't be mutated. */
export type MutableOperation = Exclude<AdmissionOperation, 'DELETE'>;

export type MutationContext<T, O extends MutableOperation> =
  AdmissionContext<T, O> extends infer C
    ? C extends { readonly object: T }
      ? Omit<C, 'object'> & {
          /** Private to the call: change it in place, or return another. */
          readonly object: Mutable<T>;
        }
      : never
    : never;

export interface MutatingWebhookOptions<
  T extends KubeObject,
  O extends MutableOperation,
> extends AdmissionWebhookOptions<T, O> {
  /**
   * Returns the wanted object; nothing: `object` as it is now. Must be idempotent: it may be asked twice in one request. A
   * thrown ApiError refuses with its own code and reason; anything else that is thrown refuses with 500 and its message.
   */
  mutate(context: MutationContext<T, O>): T | void | Promise<T | void>;
}

/**
 * Makes a mutating webhook.
 *
 * @example
 * createMutatingWebhook({
 *   resource: memcacheds,
 *   mutate({ object }) {
 *     object.spec.size ??= 3;
 *   },
 * });
 */
export function createMutatingWebhook<T extends KubeObject, O extends MutableOperation = 'CREATE' | 'UPDATE'>(
  options: MutatingWebhookOptions<T, O>,
): Webhook {
  return createAdmissionWebhook('mutating', options, async (objects, context) => {
    const before = objects.object;
    const object = cloneJson(before);
    const after = (await options.mutate({ ...context, ...objects, object } as never)) ?? object;
    return { allowed: true, patch: createJsonPatch(before as unknown as Json, after as unknown as Json) };
  });
}
