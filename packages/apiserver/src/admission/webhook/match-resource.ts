// Which of several rules name a request, and as which resource: itself, or an equivalent one in another group or version
// (spec/apiserver.md §15.3).

import type { RuleWithOperations } from '@homeostat/api/types/admissionregistration-v1';
import type { GroupVersionKind, GroupVersionResource } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { ResourceTable } from '../../server/server-host.ts';
import { type RuleSubject, ruleMatches } from './match-rules.ts';
import { requestNamespace } from './request-namespace.ts';

/** What the request is to whoever the rules belong to. */
export interface MatchedResource {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

export interface ResourceRules<T extends RuleWithOperations = RuleWithOperations> {
  readonly rules: readonly T[];
  /** Whether only the resource as it was asked for counts. */
  readonly exact: boolean;
  /** What a rule says beyond the resource. Default: nothing. */
  readonly accepts?: (rule: T) => boolean;
}

/** The first rule that names the resource as it was asked for; else the first that names it in another version. */
export function matchResource<T extends RuleWithOperations>(
  { rules, exact, accepts = () => true }: ResourceRules<T>,
  attributes: AdmissionAttributes,
  resources: ResourceTable,
): MatchedResource | undefined {
  const { operation, resource, subresource, kind } = attributes;
  const subject: RuleSubject = { operation, resource, subresource, namespace: requestNamespace(attributes) };
  if (rules.some((rule) => accepts(rule) && ruleMatches(rule, subject))) return { resource, kind };
  if (exact || rules.length === 0) return undefined;
  const equivalents = equivalentResources(attributes, resources);
  for (const rule of rules) {
    if (!accepts(rule)) continue;
    for (const equivalent of equivalents) {
      if (ruleMatches(rule, { ...subject, resource: equivalent.resource })) return equivalent;
    }
  }
  return undefined;
}

/** Other groups and versions in which the same stored objects (or the same subresource of them) are served. */
function equivalentResources(attributes: AdmissionAttributes, resources: ResourceTable): readonly MatchedResource[] {
  const { resource, subresource } = attributes;
  const own = resources.find(resource.group, resource.version, resource.resource);
  if (own === undefined) return [];
  const found: MatchedResource[] = [];
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
