// SelfSubjectRulesReview: everything the asking user may do in a namespace, as far as the authorizers can enumerate it
// (spec/apiserver.md §17).

import { type KubeObject, newBadRequest } from '@homeostat/machinery';
import type { VirtualRequest, VirtualResource } from '../../server/virtual-resource.ts';
import type { PolicyRule } from '../rbac/policy-rule.ts';
import type { RuleResolver } from '../rule-resolver.ts';

export function createRulesReview(resolver: RuleResolver): VirtualResource {
  return {
    group: 'authorization.k8s.io',
    resource: 'selfsubjectrulesreviews',
    create(request: VirtualRequest): KubeObject {
      const { spec } = request.object as { readonly spec?: { readonly namespace?: string } };
      const namespace = spec?.namespace ?? '';
      if (namespace === '') throw newBadRequest('no namespace on request');
      const rules = resolver.resolveRules(request.context.user, namespace);
      return {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectRulesReview',
        metadata: {},
        spec: {},
        status: {
          resourceRules: rules.resourceRules.map(toResourceRule),
          nonResourceRules: rules.nonResourceRules.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
          incomplete: rules.incomplete,
          ...(rules.error === undefined ? {} : { evaluationError: rules.error }),
        },
      } as KubeObject;
    },
  };
}

function toResourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): PolicyRule {
  return {
    verbs,
    ...(apiGroups === undefined ? {} : { apiGroups }),
    ...(resources === undefined ? {} : { resources }),
    ...(resourceNames === undefined || resourceNames.length === 0 ? {} : { resourceNames }),
  };
}
