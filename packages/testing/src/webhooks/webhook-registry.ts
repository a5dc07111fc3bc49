// The webhooks of operators in a test cluster: whoever serves them is called in process, by the address in the configurations, and only
// while it runs.

import type { WebhookCaller } from '@homeostat/apiserver';
import type { Handle } from '@homeostat/client';
import { createWebhookHandler, type OperatorWebhooks, type ServeWebhooks } from '@homeostat/runtime/webhook';
import { aborted, createDeferred } from '@homeostat/base';
import { inProcessWebhooks } from './in-process-webhooks.ts';

/** Who answers for which host; several replicas may answer for one. */
export class WebhookRegistry {
  readonly #handles = new Map<string, Handle[]>();

  /** The port of an operator whose connections go through `connect`, e.g. to be cut. */
  serve(connect: (handle: Handle) => Handle = (handle) => handle): ServeWebhooks {
    return ({ webhooks, env }) => {
      const handle = connect(createWebhookHandler({ env, webhooks: webhooks.handlers }).handle);
      const listening = createDeferred<void>();
      return {
        listening: listening.promise,
        caBundle: () => Promise.resolve(undefined),
        server: {
          name: 'webhook',
          run: async ({ signal }) => {
            const end = this.#add(hostOf(webhooks.address), handle);
            listening.resolve();
            try {
              await aborted(signal);
            } finally {
              end();
            }
          },
        },
      };
    };
  }

  /** Who answers for `<service>.<namespace>.svc` or the host of a URL now. */
  find(host: string): Handle | undefined {
    return this.#handles.get(host)?.[0];
  }

  #add(host: string, handle: Handle): () => void {
    const handles = this.#handles.get(host) ?? [];
    handles.push(handle);
    this.#handles.set(host, handles);
    return () => void handles.splice(handles.indexOf(handle), 1);
  }
}

/** Calls whoever is registered, else `fallback`; without one there is nobody. */
export function registeredWebhooks(
  registries: readonly WebhookRegistry[],
  fallback: WebhookCaller | undefined,
): WebhookCaller {
  return {
    call(call) {
      const { hostname, host } = new URL(call.url);
      for (const name of [host, hostname]) {
        const handle = registries.map((registry) => registry.find(name)).find((found) => found !== undefined);
        if (handle !== undefined) return inProcessWebhooks({ [name]: handle }).call(call);
      }
      return (fallback ?? inProcessWebhooks({})).call(call);
    },
    ...(fallback?.close === undefined ? {} : { close: () => fallback.close?.() }),
  };
}

function hostOf(address: OperatorWebhooks['address']): string {
  return 'url' in address ? new URL(address.url).host : `${address.service.name}.${address.service.namespace}.svc`;
}
