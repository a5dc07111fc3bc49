// The configurations that make an API server call webhooks, from the webhooks themselves: what kubebuilder generates from
// markers. They are installed by manifests, or by `installWebhooks`.

import type {
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '@homeostat/api/types/admissionregistration-v1';
import { encodeBase64, type LabelSelectorSpec } from '@homeostat/machinery';
import type { Webhook } from './webhook.ts';

export interface WebhookConfigurationOptions {
  /** Of both configurations. */
  readonly name: string;
  readonly webhooks: readonly Webhook[];
  /** Where the server is: a Service (port default 443), or the beginning of its URLs, without a slash at the end. */
  readonly address:
    | { readonly service: { readonly namespace: string; readonly name: string; readonly port?: number } }
    | { readonly url: string };
  /** PEM; absent where something else puts it in. */
  readonly caBundle?: string;
  /** Default Fail. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** Seconds, 1–30; default 10. */
  readonly timeoutSeconds?: number;
  readonly namespaceSelector?: LabelSelectorSpec;
  readonly objectSelector?: LabelSelectorSpec;
}

export interface WebhookConfigurations {
  /** Absent without validating webhooks. */
  readonly validating?: ValidatingWebhookConfiguration;
  readonly mutating?: MutatingWebhookConfiguration;
}

const apiVersion = 'admissionregistration.k8s.io/v1';
const encoder = new TextEncoder();

/**
 * Webhooks are named after their resources: `validate.memcacheds.cache.example.com`; further ones of a resource are counted,
 * `validate-2.memcacheds.cache.example.com`, since servers want each name once. Conversions are the CRDs' business.
 */
export function webhookConfigurations(options: WebhookConfigurationOptions): WebhookConfigurations {
  const entriesOf = (type: Webhook['type'], verb: string): readonly ValidatingWebhook[] =>
    uniquelyNamed(
      options.webhooks.filter((webhook) => webhook.type === type).map((webhook) => entryOf(webhook, verb, options)),
    );
  const validating = entriesOf('validating', 'validate');
  const mutating = entriesOf('mutating', 'mutate');
  const metadata = { name: options.name };
  return {
    ...(validating.length === 0
      ? {}
      : { validating: { kind: 'ValidatingWebhookConfiguration', apiVersion, metadata, webhooks: validating } }),
    ...(mutating.length === 0
      ? {}
      : { mutating: { kind: 'MutatingWebhookConfiguration', apiVersion, metadata, webhooks: mutating } }),
  };
}

function uniquelyNamed(entries: readonly ValidatingWebhook[]): readonly ValidatingWebhook[] {
  const counts = new Map<string, number>();
  return entries.map((entry) => {
    const count = (counts.get(entry.name) ?? 0) + 1;
    counts.set(entry.name, count);
    return count === 1 ? entry : { ...entry, name: entry.name.replace('.', `-${count}.`) };
  });
}

function entryOf({ target, path }: Webhook, verb: string, options: WebhookConfigurationOptions): ValidatingWebhook {
  if (target === undefined) throw new Error(`the webhook at ${path} has no target`);
  const { resource, subresources, operations } = target;
  const { group, version } = resource;
  const { failurePolicy = 'Fail', timeoutSeconds = 10, namespaceSelector, objectSelector } = options;
  return {
    name: `${verb}.${resource.resource}.${group === '' ? 'core' : group}${group.includes('.') ? '' : '.k8s.io'}`,
    clientConfig: clientOf(path, options),
    rules: [
      {
        operations,
        apiGroups: [group],
        apiVersions: [version],
        resources: subresources.map((name) => (name === '' ? resource.resource : `${resource.resource}/${name}`)),
        scope: '*',
      },
    ],
    failurePolicy,
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds,
    admissionReviewVersions: ['v1'],
    ...(namespaceSelector === undefined ? {} : { namespaceSelector: namespaceSelector as never }),
    ...(objectSelector === undefined ? {} : { objectSelector: objectSelector as never }),
  };
}

/** Where an API server finds a path of the server. */
export function clientOf(
  path: string,
  { address, caBundle }: Pick<WebhookConfigurationOptions, 'address' | 'caBundle'>,
): WebhookClientConfig {
  const trust = caBundle === undefined ? {} : { caBundle: encodeBase64(encoder.encode(caBundle)) };
  if ('url' in address) return { url: `${address.url}${path}`, ...trust };
  return { service: { ...address.service, path }, ...trust };
}
