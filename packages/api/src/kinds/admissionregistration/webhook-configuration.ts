// ValidatingWebhookConfiguration and MutatingWebhookConfiguration (admissionregistration.k8s.io/v1).

import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '@homeostat/api/types/admissionregistration-v1';
import {
  duplicate,
  type FieldError,
  FieldPath,
  invalid,
  isDns1035Label,
  type Mutable,
  notSupported,
  required,
} from '@homeostat/machinery';
import type { KindStrategy } from '../../strategy.ts';
import { AdmissionExpressions } from './expression-checks.ts';
import { validateFullName } from '../rules/full-names.ts';
import { validateLabelSelector } from '../rules/labels.ts';
import { pushInvalid } from '../rules/values.ts';
import { validateWebhookService, validateWebhookUrl } from '../rules/webhook-client.ts';
import { standardStrategy } from '../standard-strategy.ts';
import { validateMatchConditions } from './match-conditions.ts';
import { validateRule } from './rules.ts';

const webhooksPath = new FieldPath('webhooks');
const reviewVersions = ['v1', 'v1beta1'];
const sideEffects = ['None', 'NoneOnDryRun'];
const timeoutSecondsMax = 30;
const defaultTimeoutSeconds = 10;

export const validatingWebhookConfigurationStrategy: KindStrategy<ValidatingWebhookConfiguration> =
  configurationStrategy<ValidatingWebhookConfiguration>('ValidatingWebhookConfiguration');

export const mutatingWebhookConfigurationStrategy: KindStrategy<MutatingWebhookConfiguration> =
  configurationStrategy<MutatingWebhookConfiguration>('MutatingWebhookConfiguration');

function configurationStrategy<T extends ValidatingWebhookConfiguration | MutatingWebhookConfiguration>(
  kind: string,
): KindStrategy<T> {
  const isMutating = kind === 'MutatingWebhookConfiguration';
  return standardStrategy<T>({
    kind: { group: 'admissionregistration.k8s.io', version: 'v1', kind },
    namespaced: false,
    generationFields: ['webhooks' as keyof T & string],
    validate(object, errors, _old, { cel }) {
      const expressions = cel === undefined ? undefined : new AdmissionExpressions(cel);
      const names = new Set<string>();
      for (const [index, webhook] of (object.webhooks ?? []).entries()) {
        validateWebhook(webhook, webhooksPath.index(index), errors, expressions);
        if (names.has(webhook.name)) errors.push(duplicate(webhooksPath.index(index).child('name'), webhook.name));
        names.add(webhook.name);
      }
    },
    more: {
      allowUnconditionalUpdate: false,
      needsCel: ({ webhooks = [] }) => webhooks.some(({ matchConditions = [] }) => matchConditions.length > 0),
      applyDefaults(draft) {
        for (const webhook of draft.webhooks ?? []) defaultWebhook(webhook as Mutable<MutatingWebhook>, isMutating);
      },
    },
  });
}

function defaultWebhook(webhook: Mutable<MutatingWebhook>, isMutating: boolean): void {
  webhook.failurePolicy ??= 'Fail';
  webhook.matchPolicy ??= 'Equivalent';
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= defaultTimeoutSeconds;
  if (isMutating) webhook.reinvocationPolicy ??= 'Never';
  for (const rule of webhook.rules ?? []) rule.scope ??= '*';
  if (webhook.clientConfig?.service !== undefined) webhook.clientConfig.service.port ??= 443;
}

function validateWebhook(
  webhook: ValidatingWebhook | MutatingWebhook,
  path: FieldPath,
  errors: FieldError[],
  expressions: AdmissionExpressions | undefined,
): void {
  validateFullName(webhook.name ?? '', path.child('name'), errors);
  validateReviewVersions(webhook.admissionReviewVersions ?? [], path.child('admissionReviewVersions'), errors);
  for (const [index, rule] of (webhook.rules ?? []).entries())
    validateRule(rule, path.child('rules').index(index), errors);
  validateChoice(webhook.failurePolicy, ['Fail', 'Ignore'], path.child('failurePolicy'), errors);
  validateChoice(webhook.matchPolicy, ['Equivalent', 'Exact'], path.child('matchPolicy'), errors);
  if (webhook.sideEffects === undefined) {
    errors.push(required(path.child('sideEffects'), `must specify one of ${sideEffects.join(', ')}`));
  } else validateChoice(webhook.sideEffects, sideEffects, path.child('sideEffects'), errors);
  const timeout = webhook.timeoutSeconds;
  if (timeout !== undefined && (timeout < 1 || timeout > timeoutSecondsMax)) {
    const text = `the timeout value must be between 1 and ${timeoutSecondsMax} seconds`;
    errors.push(invalid(path.child('timeoutSeconds'), timeout, text));
  }
  validateLabelSelector(webhook.namespaceSelector, path.child('namespaceSelector'), errors);
  validateLabelSelector(webhook.objectSelector, path.child('objectSelector'), errors);
  if ('reinvocationPolicy' in webhook) {
    validateChoice(webhook.reinvocationPolicy, ['IfNeeded', 'Never'], path.child('reinvocationPolicy'), errors);
  }
  validateClient(webhook.clientConfig, path.child('clientConfig'), errors);
  validateMatchConditions(webhook.matchConditions ?? [], path.child('matchConditions'), errors, expressions);
}

function validateChoice(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  if (value !== undefined && !supported.includes(value)) errors.push(notSupported(path, value, supported));
}

function validateClient(
  client: ValidatingWebhook['clientConfig'] | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const { url, service } = client ?? {};
  if ((url === undefined) === (service === undefined))
    errors.push(required(path, 'exactly one of url or service is required'));
  else if (url !== undefined) validateWebhookUrl(url, path.child('url'), errors);
  else if (service !== undefined) validateWebhookService(service, path.child('service'), errors);
}

function validateReviewVersions(versions: readonly string[], path: FieldPath, errors: FieldError[]): void {
  const known = reviewVersions.join(', ');
  if (versions.length === 0) {
    errors.push(required(path, `must specify one of ${known}`));
    return;
  }
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) < index) errors.push(invalid(path.index(index), version, 'duplicate version'));
    else pushInvalid(isDns1035Label(version), version, path.index(index), errors);
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(invalid(path, versions, `must include at least one of ${known}`));
  }
}
