// Brings webhook configurations to a server, and takes them away again: a server whose webhooks are gone refuses what they
// were asked about, so tests must leave none behind.

import { type Client, isNotFound, type ResourceType } from '@homeostat/client';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '@homeostat/client/resources';
import type { KubeObject } from '@homeostat/machinery';
import { type WebhookConfigurationOptions, webhookConfigurations } from './webhook-configurations.ts';

export interface InstallWebhooksOptions extends WebhookConfigurationOptions {
  readonly client: Client;
  /** Default `homeostat-runtime`. */
  readonly fieldManager?: string;
  readonly signal?: AbortSignal;
}

export interface InstalledWebhooks extends AsyncDisposable {
  /** Deletes the configurations. Safe to repeat, and when somebody else was faster. */
  uninstall(): Promise<void>;
}

/**
 * Applies the configurations of the webhooks (server-side apply, taking fields others hold). Safe to repeat.
 *
 * @throws ApiError when one is refused
 * @example await using installed = await installWebhooks({ client, name: 'memcached', webhooks, address: { url: 'https://127.0.0.1:9443' }, caBundle });
 */
export async function installWebhooks(options: InstallWebhooksOptions): Promise<InstalledWebhooks> {
  const { client, fieldManager = 'homeostat-runtime', signal } = options;
  const { validating, mutating } = webhookConfigurations(options);
  const call = { fieldManager, force: true, ...(signal === undefined ? {} : { signal }) };
  const made: ResourceType<KubeObject>[] = [];
  // Mutating ones last: what they complete is then validated from the start.
  if (validating !== undefined) {
    await client.apply(validatingWebhookConfigurations, { ...call, object: validating });
    made.push(validatingWebhookConfigurations);
  }
  if (mutating !== undefined) {
    await client.apply(mutatingWebhookConfigurations, { ...call, object: mutating });
    made.push(mutatingWebhookConfigurations);
  }
  const uninstall = async (): Promise<void> => {
    for (const resource of made) {
      try {
        await client.delete(resource, { name: options.name });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  };
  return { uninstall, [Symbol.asyncDispose]: uninstall };
}
