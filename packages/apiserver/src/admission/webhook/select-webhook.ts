// Whether a webhook is called for a request, and in which version: selectors, rules, equivalent resources, conditions, in
// upstream's order (spec/apiserver.md §15.3).

import type { ApiError } from '@homeostat/base';
import { type KubeObject, newForbidden } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { AdmissionHost } from '../admission-host.ts';
import { describeRequest } from './admission-review.ts';
import { type MatchedResource, matchResource } from './match-resource.ts';
import { namespaceMatches, objectMatches, type SelectorMatch } from './match-selectors.ts';
import type { VersionedObjects } from './versioned-objects.ts';
import type { AnyWebhookSpec, Webhook } from './webhook.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** A webhook to call, and what to show it the request as. */
export interface Invocation extends MatchedResource {
  readonly webhook: Webhook<AnyWebhookSpec>;
}

export interface Selecting {
  readonly host: AdmissionHost;
  readonly attributes: AdmissionAttributes;
  readonly objects: VersionedObjects;
  readonly metrics: WebhookMetrics;
}

/** Undefined: the webhook has nothing to say. @throws ApiError when that can't be found out */
export async function selectWebhook(
  webhook: Webhook<AnyWebhookSpec>,
  selecting: Selecting,
): Promise<Invocation | undefined> {
  const { host, attributes } = selecting;
  const inNamespace = await namespaceMatches(webhook, attributes, host);
  if (inNamespace === false) return undefined;
  const labelled = objectMatches(webhook, attributes);
  if (labelled === false) return undefined;
  const { rules = [], matchPolicy } = webhook.spec;
  const matched = matchResource({ rules, exact: matchPolicy === 'Exact' }, attributes, host.resources);
  if (matched === undefined) return undefined;
  const invocation = { webhook, ...matched };
  const failure = errorOf(inNamespace) ?? errorOf(labelled);
  if (failure !== undefined) throw failure;
  return (await conditionsHold(invocation, selecting)) ? invocation : undefined;
}

function errorOf(match: SelectorMatch): ApiError | undefined {
  return typeof match === 'object' ? match.error : undefined;
}

/** @throws ApiError 403 when a condition fails and the webhook's policy is to fail */
async function conditionsHold(
  invocation: Invocation,
  { host, attributes, objects, metrics }: Selecting,
): Promise<boolean> {
  const { webhook, kind } = invocation;
  if (webhook.conditions === undefined) return true;
  const result = await webhook.conditions.match({
    object: present(objects.object(kind)),
    oldObject: present(objects.oldObject(kind)),
    request: describeRequest(attributes, invocation),
    authorizer: host.authorizer,
    attributes,
  });
  if (result.failures > 0) metrics.conditionErrors(webhook, attributes.operation, result.failures);
  if (result.refusal !== undefined) throw newForbidden(attributes.resource, attributes.name, result.refusal);
  if (!result.matches && result.failures === 0) metrics.excludedByCondition(webhook, attributes.operation);
  return result.matches;
}

function present(object: KubeObject | undefined): KubeObject | null {
  return object ?? null;
}
