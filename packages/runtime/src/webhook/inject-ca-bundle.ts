// Puts the authority of a webhook server's certificate where API servers look for it: the webhook configurations, and the
// conversions of CustomResourceDefinitions. Manifests need not contain keys then.

import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@homeostat/api/types/admissionregistration-v1';
import type { CustomResourceDefinition } from '@homeostat/api/types/apiextensions-v1';
import { type Client, isNotFound, retryOnConflict, type ResourceType } from '@homeostat/client';
import {
  customResourceDefinitions,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@homeostat/client/resources';
import { encodeBase64, type Json, type KubeObject } from '@homeostat/machinery';
import type { Env } from '@homeostat/base';

/** Names of objects whose webhooks are served with the certificate. All webhooks in them get the bundle. */
export interface CaBundleTargets {
  readonly validating?: readonly string[];
  readonly mutating?: readonly string[];
  /** CustomResourceDefinitions with a conversion webhook. */
  readonly definitions?: readonly string[];
}

export interface InjectCaBundleOptions extends CaBundleTargets {
  readonly client: Client;
  readonly env: Env;
  /** PEM of one or more authorities. */
  readonly caBundle: string;
  readonly signal?: AbortSignal;
}

const encoder = new TextEncoder();

/**
 * Writes the bundle where it is not there yet; objects that do not exist (yet) are passed over. Conflicts are tried again.
 *
 * @returns how many objects were changed
 * @throws ApiError; the signal's reason
 */
export async function injectCaBundle(options: InjectCaBundleOptions): Promise<number> {
  const bundle = encodeBase64(encoder.encode(options.caBundle));
  let changed = 0;
  const inject = async <T extends KubeObject>(
    resource: ResourceType<T>,
    names: readonly string[] | undefined,
    operations: (object: T) => readonly Json[],
  ): Promise<void> => {
    for (const name of names ?? []) if (await patch(resource, name, { ...options, operations })) changed++;
  };
  const entries = ({ webhooks = [] }: ValidatingWebhookConfiguration | MutatingWebhookConfiguration): readonly Json[] =>
    webhooks.flatMap(({ clientConfig }, index) =>
      clientConfig.caBundle === bundle ? [] : [put(`/webhooks/${index}/clientConfig/caBundle`, bundle)],
    );
  await inject(validatingWebhookConfigurations, options.validating, entries);
  await inject(mutatingWebhookConfigurations, options.mutating, entries);
  await inject(customResourceDefinitions, options.definitions, ({ spec }: CustomResourceDefinition) => {
    const client = spec?.conversion?.webhook?.clientConfig;
    if (client === undefined || client.caBundle === bundle) return [];
    return [put('/spec/conversion/webhook/clientConfig/caBundle', bundle)];
  });
  return changed;
}

function put(path: string, value: string): Json {
  return { op: 'add', path, value };
}

/** Whether something had to be written. */
async function patch<T extends KubeObject>(
  resource: ResourceType<T>,
  name: string,
  { client, env, signal, operations }: InjectCaBundleOptions & { readonly operations: (object: T) => readonly Json[] },
): Promise<boolean> {
  const call = { name, ...(signal === undefined ? {} : { signal }) };
  try {
    return await retryOnConflict(
      env,
      async () => {
        const object = await client.get(resource, call);
        const wanted = operations(object);
        if (wanted.length === 0) return false;
        // Lists are patched by index: a list that somebody changed meanwhile is a conflict.
        const seen = put('/metadata/resourceVersion', object.metadata?.resourceVersion ?? '');
        await client.patch(resource, { ...call, type: 'json', patch: [seen, ...wanted] });
        return true;
      },
      signal === undefined ? {} : { signal },
    );
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
