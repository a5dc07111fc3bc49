// The webhooks that are configured now, in calling order: configurations by name, their webhooks as listed. Kept until the
// cache tells of a change, so that a request pays nothing where there are none.

import type {
  ValidatingWebhookConfiguration,
  MutatingWebhookConfiguration,
} from '@homeostat/api/types/admissionregistration-v1';
import { compareBytewise } from '@homeostat/machinery';
import type { AdmissionHost } from '../admission-host.ts';
import type { LoadConditionLanguage } from './condition-language.ts';
import { type AnyWebhookSpec, type Webhook, type WebhookType, webhooksOf } from './webhook.ts';

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;

const resources = { validating: 'validatingwebhookconfigurations', admit: 'mutatingwebhookconfigurations' } as const;

export class WebhookSource {
  readonly #host: AdmissionHost;
  readonly #type: WebhookType;
  readonly #language: LoadConditionLanguage;
  #webhooks: readonly Webhook<AnyWebhookSpec>[] | undefined;
  #isFollowing = false;

  constructor(host: AdmissionHost, type: WebhookType, language: LoadConditionLanguage) {
    this.#host = host;
    this.#type = type;
    this.#language = language;
  }

  list(): readonly Webhook<AnyWebhookSpec>[] {
    return (this.#webhooks ??= this.#read());
  }

  #read(): readonly Webhook<AnyWebhookSpec>[] {
    const reader = this.#host.reader({ group: 'admissionregistration.k8s.io', resource: resources[this.#type] });
    if (!this.#isFollowing) {
      this.#isFollowing = true;
      // The cache lives as long as the server, and this plugin with it.
      reader.onChange(() => (this.#webhooks = undefined));
    }
    return (reader.list() as readonly Configuration[])
      .toSorted((a, b) => compareBytewise(a.metadata?.name ?? '', b.metadata?.name ?? ''))
      .flatMap((configuration) => webhooksOf(configuration, this.#type, this.#language));
  }
}
