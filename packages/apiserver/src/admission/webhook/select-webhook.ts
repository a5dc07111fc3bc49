// Whether a webhook is called for a request, and in which version: selectors, rules, equivalent resources, conditions, in
// upstream's order (spec/apiserver.md §15.3).

import type { ApiError } from '@homeostat/base';
import { type GroupVersionKind, type GroupVersionResource, type KubeObject, newForbidden } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { ResourceTable } from '../../server/server-host.ts';
import type { AdmissionHost } from '../admission-host.ts';
import { describeRequest } from './admission-review.ts';
import { type RuleSubject, ruleMatches } from './match-rules.ts';
import { namespaceMatches, objectMatches, type SelectorMatch } from './match-selectors.ts';
import { requestNamespace } from './request-namespace.ts';
import type { VersionedObjects } from './versioned-objects.ts';
import type { AnyWebhookSpec, Webhook } from './webhook.ts';
import type { WebhookMetrics } from './webhook-metrics.ts';

/** A webhook to call, and what to show it the request as. */
export interface Invocation {
  readonly webhook: Webhook<AnyWebhookSpec>;
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
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
  const invocation = invocationFor(webhook, attributes, host.resources);
  if (invocation === undefined) return undefined;
  const failure = errorOf(inNamespace) ?? errorOf(labelled);
  if (failure !== undefined) throw failure;
  return (await conditionsHold(invocation, selecting)) ? invocation : undefined;
}

function errorOf(match: SelectorMatch): ApiError | undefined {
  return typeof match === 'object' ? match.error : undefined;
}

/** The first rule that names the resource as it was asked for; else the first that names it in another version. */
function invocationFor(
  webhook: Webhook<AnyWebhookSpec>,
  attributes: AdmissionAttributes,
  resources: ResourceTable,
): Invocation | undefined {
  const { operation, resource, subresource, kind } = attributes;
  const rules = webhook.spec.rules ?? [];
  const subject: RuleSubject = { operation, resource, subresource, namespace: requestNamespace(attributes) };
  if (rules.some((rule) => ruleMatches(rule, subject))) return { webhook, resource, kind };
  if (webhook.spec.matchPolicy === 'Exact') return undefined;
  const equivalents = equivalentResources(attributes, resources);
  for (const rule of rules) {
    for (const equivalent of equivalents) {
      if (!ruleMatches(rule, { ...subject, resource: equivalent.resource })) continue;
      return { webhook, ...equivalent };
    }
  }
  return undefined;
}

interface Equivalent {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

/** Other groups and versions in which the same stored objects (or the same subresource of them) are served. */
function equivalentResources(attributes: AdmissionAttributes, resources: ResourceTable): readonly Equivalent[] {
  const { resource, subresource } = attributes;
  const own = resources.find(resource.group, resource.version, resource.resource);
  if (own === undefined) return [];
  const found: Equivalent[] = [];
  for (const info of resources.list()) {
    if (info === own || info.storage.prefix !== own.storage.prefix || info.storage.group !== own.storage.group)
      continue;
    const kind = subresource === '' ? info : info.subresources.find(({ name }) => name === subresource)?.kind;
    if (kind === undefined) continue;
    found.push({
      resource: { group: info.group, version: info.version, resource: info.resource },
      kind: { group: kind.group, version: kind.version, kind: kind.kind },
    });
  }
  return found;
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
