// Whether a policy or a binding is about a request: selectors, excluded rules, rules with names of resources, equivalent
// resources (`MatchResources`; spec/apiserver.md §15.4).

import type { MatchResources, NamedRuleWithOperations } from '@homeostat/api/types/admissionregistration-v1';
import { type LabelSelector, labelSelectorAsSelector } from '@homeostat/machinery';
import type { AdmissionAttributes } from '../../server/admission.ts';
import type { AdmissionHost } from '../admission-host.ts';
import { type MatchedResource, matchResource } from '../webhook/match-resource.ts';
import { namespaceMatches, objectMatches, type SelectorMatch } from '../webhook/match-selectors.ts';

/** Constraints with their selectors parsed once. */
export class MatchConstraints {
  readonly #constraints: MatchResources;
  #namespaces: LabelSelector | undefined;
  #objects: LabelSelector | undefined;

  constructor(constraints: MatchResources = {}) {
    this.#constraints = constraints;
  }

  namespaceSelector(): LabelSelector {
    return (this.#namespaces ??= labelSelectorAsSelector(this.#constraints.namespaceSelector ?? {}));
  }

  objectSelector(): LabelSelector {
    return (this.#objects ??= labelSelectorAsSelector(this.#constraints.objectSelector ?? {}));
  }

  /** What the request is to the constraints; undefined when they are not about it. @throws ApiError when that can't be found out */
  async match(attributes: AdmissionAttributes, host: AdmissionHost): Promise<MatchedResource | undefined> {
    const inNamespace = await namespaceMatches(this, attributes, host);
    const labelled = inNamespace === false ? false : objectMatches(this, attributes);
    if (inNamespace === false || labelled === false) return undefined;
    const { resourceRules = [], excludeResourceRules = [], matchPolicy } = this.#constraints;
    const exact = matchPolicy === 'Exact';
    const accepts = (rule: NamedRuleWithOperations): boolean => namesMatch(rule, attributes.name);
    if (matchResource({ rules: excludeResourceRules, exact, accepts }, attributes, host.resources) !== undefined)
      return undefined;
    const { resource, kind } = attributes;
    const matched =
      resourceRules.length === 0
        ? { resource, kind }
        : matchResource({ rules: resourceRules, exact, accepts }, attributes, host.resources);
    if (matched === undefined) return undefined;
    throwIfFailed(inNamespace);
    throwIfFailed(labelled);
    return matched;
  }
}

function throwIfFailed(match: SelectorMatch): void {
  if (typeof match === 'object') throw match.error;
}

function namesMatch({ resourceNames = [] }: NamedRuleWithOperations, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}
