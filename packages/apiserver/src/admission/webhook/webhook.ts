// A webhook as the plugins use it: one entry of a configuration, read once per change of the configuration.

import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '@homeostat/api/types/admissionregistration-v1';
import {
  decodeBase64,
  type LabelSelector,
  labelSelectorAsSelector,
  type LabelSelectorSpec,
} from '@homeostat/machinery';
import { MatchConditions } from './match-conditions.ts';
import type { LoadConditionLanguage } from './condition-language.ts';

export type WebhookType = 'validating' | 'admit';

export interface Webhook<T extends ValidatingWebhook = ValidatingWebhook> {
  readonly name: string;
  readonly configuration: string;
  /** Distinguishes webhooks of one name in one configuration: `configuration/name/0`. */
  readonly uid: string;
  /** As metrics name it. */
  readonly type: WebhookType;
  readonly spec: T;
  readonly ignoresFailures: boolean;
  readonly timeoutMs: number;
  /** PEM. */
  readonly caBundle: string | undefined;
  readonly conditions: MatchConditions | undefined;
  /** @throws SelectorError for a selector that validation should have refused */
  namespaceSelector(): LabelSelector;
  objectSelector(): LabelSelector;
}

type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;
export type AnyWebhookSpec = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

const defaultTimeoutSeconds = 10;
const decoder = new TextDecoder();

/** The webhooks of one configuration in their order. */
export function webhooksOf(
  configuration: Configuration,
  type: WebhookType,
  language: LoadConditionLanguage,
): readonly Webhook<AnyWebhookSpec>[] {
  const name = configuration.metadata?.name ?? '';
  const seen = new Map<string, number>();
  return (configuration.webhooks ?? []).map((spec: AnyWebhookSpec) => {
    const duplicates = seen.get(spec.name) ?? 0;
    seen.set(spec.name, duplicates + 1);
    const { caBundle = '' } = spec.clientConfig;
    const conditions = spec.matchConditions ?? [];
    const ignoresFailures = spec.failurePolicy === 'Ignore';
    return {
      name: spec.name,
      configuration: name,
      uid: `${name}/${spec.name}/${duplicates}`,
      type,
      spec,
      ignoresFailures,
      timeoutMs: (spec.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
      caBundle: caBundle === '' ? undefined : decoder.decode(decodeBase64(caBundle)),
      conditions: conditions.length === 0 ? undefined : new MatchConditions(conditions, { language, ignoresFailures }),
      namespaceSelector: once(() => selectorOf(spec.namespaceSelector)),
      objectSelector: once(() => selectorOf(spec.objectSelector)),
    };
  });
}

function selectorOf(spec: LabelSelectorSpec | undefined): LabelSelector {
  return labelSelectorAsSelector(spec ?? {});
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
