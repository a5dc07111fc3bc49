// What a ResourceQuota says is used is what there is (spec/infrastructure.md §15).

import { isPodTerminal, quotaEvaluatorOf } from '@homeostat/api';
import { pods, resourceQuotas } from '@homeostat/client/resources';
import type { StoreState } from '../store-state.ts';
import { nameOf } from './checker.ts';

/** Quotas without scopes whose number of pods, or of any counted resource, is another than that of the objects. */
export function checkQuotas(state: StoreState): readonly string[] {
  return state.list(resourceQuotas).flatMap((quota) => {
    if ((quota.spec?.scopes ?? []).length > 0 || quota.spec?.scopeSelector !== undefined) return [];
    const { namespace = '' } = quota.metadata ?? {};
    const problems: string[] = [];
    for (const name of Object.keys(quota.spec?.hard ?? {})) {
      const wanted = countOf(state, namespace, name);
      const found = Number(quota.status?.used?.[name] ?? 0);
      if (wanted !== undefined && found !== wanted)
        problems.push(`ResourceQuota ${nameOf(quota)}: ${name} is ${found}, there are ${wanted}`);
    }
    return problems;
  });
}

// Undefined: not a number of objects.
function countOf(state: StoreState, namespace: string, name: string): number | undefined {
  const own = (object: { readonly metadata?: { readonly namespace?: string } | undefined }): boolean =>
    object.metadata?.namespace === namespace;
  if (name === 'pods') return state.list(pods).filter((pod) => own(pod) && !isPodTerminal(pod)).length;
  const [prefix, resource = ''] = name.split('/', 2);
  if (prefix !== 'count') return undefined;
  const [plural = '', ...group] = resource.split('.');
  if (quotaEvaluatorOf({ group: group.join('.'), resource: plural }) === undefined) return undefined;
  const id = `${plural}.${group.join('.')}`;
  return [...state.all()].filter((each) => each.resource === id && own(each.object)).length;
}
